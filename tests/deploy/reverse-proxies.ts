// Runs nginx, Caddy and Apache with the files of deploy/, on free ports and with a certificate of their own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { findFreePort } from '../../scripts/find-free-port.ts';
import { projectRoot } from '../../scripts/run-tool.ts';

export interface ProxyPorts {
  https: number;
  http: number;
}

export interface RunningProxy {
  /** The certificate that clients must trust. */
  readonly certificate: string;
  /** Returns everything that it logged. */
  stop(): Promise<string>;
}

interface Program {
  command: readonly [string, ...string[]];
  environment?: Record<string, string>;
  certificateFile: string;
}

/** @param prepare writes the configuration into the folder */
type Prepare = (folder: string, ports: ProxyPorts, upstream: string) => Program;

export async function choosePorts(): Promise<ProxyPorts> {
  return { https: await findFreePort(), http: await findFreePort() };
}

/** Throws if the file does not contain one of the texts: the test would not test the file. */
function replaceEach(text: string, replacements: readonly (readonly [string, string])[]): string {
  return replacements.reduce((changedText, [from, to]) => {
    if (!changedText.includes(from)) throw new Error(`The file has no "${from}".`);
    return changedText.replaceAll(from, to);
  }, text);
}

function createCertificate(folder: string) {
  const certificateFile = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'key.pem');
  const certificateArgs = [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'],
    ...['-keyout', keyFile, '-out', certificateFile],
  ];
  const { status, stderr } = spawnSync('openssl', certificateArgs, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return { certificateFile, keyFile };
}

const prepareNginx: Prepare = (folder, ports, upstream) => {
  const { certificateFile, keyFile } = createCertificate(folder);
  const site = replaceEach(readFileSync(join(projectRoot, 'deploy/nginx.conf'), 'utf8'), [
    // First, because a free port may begin with 3000.
    ['127.0.0.1:3000', upstream],
    ['listen 80;', `listen 127.0.0.1:${ports.http};`],
    ['listen 443 ', `listen 127.0.0.1:${ports.https} `],
    ['    listen [::]:80;\n', ''],
    ['    listen [::]:443 ssl http2;\n', ''],
    ['/etc/letsencrypt/live/chat.university.edu/fullchain.pem', certificateFile],
    ['/etc/letsencrypt/live/chat.university.edu/privkey.pem', keyFile],
    ['chat.university.edu', 'localhost'],
    ['/var/log/nginx/backchannel.log', join(folder, 'site.log')],
  ]);
  writeFileSync(join(folder, 'site.conf'), site);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = temporary.map((name) => `${name}_temp_path ${join(folder, 'unused', name)};`);
  mkdirSync(join(folder, 'unused'));
  // What a distribution's own file may set around the site.
  const main = `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 1;
    pid ${join(folder, 'pid')};
    error_log ${join(folder, 'main.log')};
    events {}
    http {
      ${paths.join('\n')}
      access_log ${join(folder, 'access.log')};
      gzip on;
      gzip_types application/json;
      include ${join(folder, 'site.conf')};
    }`;
  const mainFile = join(folder, 'nginx.conf');
  writeFileSync(mainFile, main);
  const command = ['nginx', '-c', mainFile, '-p', folder, '-e', join(folder, 'main.log')] as const;
  const check = spawnSync('nginx', [...command.slice(1), '-t'], { encoding: 'utf8' });
  if (check.status !== 0) throw new Error(check.stderr);
  return { command, certificateFile };
};

const runCaddy =
  (name: string): Prepare =>
  (folder, ports, upstream) => {
    const file = join(folder, 'Caddyfile');
    const shipped = readFileSync(join(projectRoot, 'deploy', name), 'utf8');
    const options = `admin off\n\tskip_install_trust\n\thttp_port ${ports.http}\n\thttps_port ${ports.https}\n\t`;
    writeFileSync(file, replaceEach(shipped, [['\tlog {', `\t${options}log {`]]));
    return {
      command: ['caddy', 'run', '--config', file, '--adapter', 'caddyfile'],
      environment: {
        PUBLIC_URL: `https://localhost:${ports.https}`,
        UPSTREAM: upstream,
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
      certificateFile: join(folder, 'caddy/pki/authorities/local/root.crt'),
    };
  };

const prepareApache: Prepare = (folder, ports, upstream) => {
  const { certificateFile, keyFile } = createCertificate(folder);
  const site = replaceEach(readFileSync(join(projectRoot, 'deploy/apache.conf'), 'utf8'), [
    // First, because a free port may begin with 3000.
    ['127.0.0.1:3000', upstream],
    ['*:80', `127.0.0.1:${ports.http}`],
    ['*:443', `127.0.0.1:${ports.https}`],
    ['/etc/letsencrypt/live/chat.university.edu/fullchain.pem', certificateFile],
    ['/etc/letsencrypt/live/chat.university.edu/privkey.pem', keyFile],
    ['https://chat.university.edu', `https://localhost:${ports.https}`],
    ['chat.university.edu', 'localhost'],
    ['/var/log/apache2/backchannel.log', join(folder, 'site.log')],
  ]);
  writeFileSync(join(folder, 'site.conf'), site);
  // Debian's own modules and those that the file names.
  const named = /^# a2enmod (.+)$/m.exec(site)?.[1]?.split(' ') ?? [];
  const debian = ['mpm_event', 'authz_core', 'alias', 'env', 'filter', 'deflate', 'reqtimeout'];
  const modules = [...debian, 'socache_shmcb', ...named].map(
    (module) => `LoadModule ${module}_module /usr/lib/apache2/modules/mod_${module}.so`,
  );
  const main = `
    ServerRoot ${folder}
    ServerName localhost
    DefaultRuntimeDir ${folder}
    PidFile ${join(folder, 'pid')}
    ${modules.join('\n')}
    ${process.getuid?.() === 0 ? 'User www-data\nGroup www-data' : ''}
    Listen 127.0.0.1:${ports.http}
    Listen 127.0.0.1:${ports.https}
    ErrorLog ${join(folder, 'main.log')}
    AddOutputFilterByType DEFLATE text/html application/json
    RequestReadTimeout header=20-40,minrate=500 body=10,minrate=500
    Include ${join(folder, 'site.conf')}`;
  const mainFile = join(folder, 'apache2.conf');
  writeFileSync(mainFile, main);
  const command = ['apache2', '-D', 'FOREGROUND', '-f', mainFile] as const;
  const check = spawnSync('apache2', [...command.slice(1), '-t'], { encoding: 'utf8' });
  if (check.status !== 0) throw new Error(check.stderr);
  return { command, certificateFile };
};

const preparations = {
  nginx: prepareNginx,
  caddy: runCaddy('Caddyfile'),
  apache2: prepareApache,
  'caddy-nodes': runCaddy('Caddyfile.nodes'),
};
export type ProxyName = keyof typeof preparations;

/** @param upstream host and port of the server */
export async function startProxy(
  name: ProxyName,
  ports: ProxyPorts,
  upstream: string,
): Promise<RunningProxy> {
  const folder = mkdtempSync(join(tmpdir(), `backchannel-${name}-`));
  const {
    command,
    environment = {},
    certificateFile,
  } = preparations[name](folder, ports, upstream);
  const [executable, ...args] = command;
  const child = spawn(executable, args, {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const exit = once(child, 'close');
  while (!existsSync(certificateFile) || !(await canConnect(ports.https))) {
    if (child.exitCode !== null) throw new Error(`${name} ended with ${child.exitCode}: ${output}`);
    await sleep(20);
  }
  async function stop(): Promise<string> {
    child.kill('SIGTERM');
    await exit;
    const logs = readdirSync(folder).filter((file) => file.endsWith('.log'));
    const written = logs.map((file) => readFileSync(join(folder, file), 'utf8'));
    rmSync(folder, { recursive: true, force: true });
    return [output, ...written].join('\n');
  }

  let stopping: Promise<string> | null = null;
  // Anyone who stores a part of a request or a reply there fails from now on.
  rmSync(join(folder, 'unused'), { recursive: true, force: true });
  return {
    certificate: readFileSync(certificateFile, 'utf8'),
    stop: () => (stopping ??= stop()),
  };
}

/** Whether it has its certificate, too: Caddy listens before. */
function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { port, host: '127.0.0.1', servername: 'localhost', rejectUnauthorized: false };
    const socket = connect(options, () => {
      socket.destroy();
      resolve(true);
    }).on('error', () => resolve(false));
  });
}
