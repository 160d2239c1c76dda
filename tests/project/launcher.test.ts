// Tests scripts/run.mjs, which every npm script uses, on simulated machines.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { projectRoot } from '../../scripts/run-tool.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-launcher-'));
  cpSync(join(projectRoot, 'scripts/run.mjs'), join(dir, 'scripts/run.mjs'));
  writeFileSync(join(dir, 'program.mjs'), "console.log('runs', ...process.argv.slice(2));");
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the program by the launcher on a Node.js that reports this version and architecture. */
function launch(version: string, arch: string) {
  const preload = `
    Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });
    Object.defineProperty(process, 'arch', { value: '${arch}' });
  `;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...args, 'scripts/run.mjs', 'program.mjs', 'x y'],
    { cwd: dir, encoding: 'utf8' },
  );
  return { status, output: `${stdout}${stderr}`.trim() };
}

function install(arch: string, program: string): void {
  const folder = join(dir, `node_modules/node-${process.platform}-${arch}`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ bin: { node: 'bin/node' } }));
  writeFileSync(join(folder, 'bin/node'), program);
  chmodSync(join(folder, 'bin/node'), 0o755);
}

test('backchannel runs a command with the user, folder and settings of the service [DEPLOY-21]', () => {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  const keyFile = join(dir, 'backchannel.key');
  const unit = readFileSync(join(projectRoot, 'deploy/backchannel.service'), 'utf8')
    .replace('/etc/backchannel.key', keyFile)
    .concat('[Service]\nUser=chat\n');
  writeFileSync(join(dir, 'unit'), unit);
  const programs = {
    systemctl: `cat ${join(dir, 'unit')}`,
    id: 'echo 0',
    'systemd-run': `printf '%s\\n' "$@"`,
  };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  }
  const listArguments = (...args: string[]) =>
    spawnSync(join(projectRoot, 'scripts/backchannel'), args, {
      env: { PATH: `${bin}:${process.env['PATH']}` },
      encoding: 'utf8',
    }).stdout.split('\n');

  const grant = listArguments('grant-operator', 'you@university.edu', 'Sam (student services)');
  writeFileSync(`${keyFile}.new`, '');
  const newKey = listArguments('new-key', '--yes');

  expect(grant).toEqual(
    expect.arrayContaining([
      '--uid=chat',
      '--setenv=BACKCHANNEL_COMMAND=backchannel',
      '--working-directory=/opt/backchannel',
      '--property=EnvironmentFile=/etc/backchannel.env',
      `--property=LoadCredential=SECRET_KEY:${keyFile}`,
    ]),
  );
  expect(grant.slice(grant.indexOf('node'), -1)).toEqual([
    ...['node', 'scripts/run.mjs', 'scripts/admin.ts', 'grant-operator', 'you@university.edu'],
    'Sam (student services)',
  ]);
  // The old key is lost.
  expect(newKey).toContain(`--property=LoadCredential=SECRET_KEY:${keyFile}.new`);
  expect(newKey).toContain(`--property=LoadCredential=NEW_SECRET_KEY:${keyFile}.new`);
});

test('backchannel names commands as one types them on its machine [DEPLOY-21]', () => {
  const bin = join(dir, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'systemctl'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });

  const { stderr } = spawnSync(join(projectRoot, 'scripts/backchannel'), ['grant-operator'], {
    env: { PATH: `${bin}:${process.env['PATH']}`, ENV_FILE: 'none' },
    encoding: 'utf8',
  });

  expect(stderr).toContain('Usage: backchannel grant-operator');
  expect(stderr).not.toContain('npm run');
});

const tooOld = `Cannot start: this machine has Node.js 20.20.2, and npm has no Node.js that runs on ${process.platform} riscv64. Install Node.js 24 or newer.`;

test('the launcher without packages says what to run, on any Node.js [START-12]', () => {
  const missing = 'Cannot start: the packages are not installed. Run npm ci first.';

  expect(launch('20.20.2', 'riscv64')).toEqual({ status: 1, output: missing });
  expect(launch('26.10.0', 'riscv64')).toEqual({ status: 1, output: missing });
});

test('the launcher says that Node.js is too old on a platform without a package [START-12]', () => {
  mkdirSync(join(dir, 'node_modules'));

  expect(launch('20.20.2', 'riscv64')).toEqual({ status: 1, output: tooOld });
});

test('the launcher says that Node.js is too old if the installed one cannot run [START-12]', () => {
  install('riscv64', '#!/no/such/loader\n');

  expect(launch('20.20.2', 'riscv64')).toEqual({ status: 1, output: tooOld });
});

test('a new Node.js runs the program on a platform without a package [START-12]', () => {
  mkdirSync(join(dir, 'node_modules'));

  expect(launch('24.0.0', 'riscv64')).toEqual({ status: 0, output: 'runs x y' });
});

test('the launcher prefers the installed Node.js to a new one of the machine [START-12]', () => {
  install('riscv64', '#!/bin/sh\necho installed "$@"\n');

  expect(launch('24.0.0', 'riscv64')).toEqual({
    status: 0,
    output: 'installed program.mjs x y',
  });
});
