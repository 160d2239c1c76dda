import { execFileSync } from 'node:child_process';
import { randomUUID, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import SQLite from 'better-sqlite3';
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import type { Finding } from '../../../scripts/commands/doctor/finding.ts';
import { startFakeSmtp } from '#tests/support/fake-smtp.ts';
import { startOidcServer } from '#tests/support/oidc-server.ts';
import { runCommand, runCommandProcess } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let database: TestDatabase;
let settings: Record<string, string>;
let proxy: Server;
let app: RunningApp | null;
/** What the reverse proxy in front of the server does wrong. */
let faults: {
  host?: string;
  maxBody?: number;
  dropsUpgrades?: boolean;
  repeats?: string;
  secondsAhead?: number;
  /** Says that it is Caddy. */
  isCaddy?: boolean;
};

// As of the server's own process: other users cannot read its files.
let umask: number;
beforeAll(() => void (umask = process.umask(0o077)));
afterAll(() => void process.umask(umask));

beforeEach(async () => {
  database = await createTestDatabase();
  app = null;
  faults = {};
  const port = await findFreePort();
  proxy = startProxy(port);
  await once(proxy, 'listening');
  const { port: outside } = proxy.address() as AddressInfo;
  const { DATABASE_URL, ...otherSettings } = database.settings;
  settings = { ...otherSettings, ...(DATABASE_URL && { DATABASE_URL }), PORT: String(port) };
  // The disk of the machine that runs the tests may be full.
  settings['KEEP_FREE_GB'] = '0';
  settings['PUBLIC_URL'] = `http://localhost:${outside}`;
});
afterEach(async () => {
  await app?.close();
  proxy.closeAllConnections();
  proxy.close();
  await database.drop();
});

function startProxy(port: number): Server {
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    if (Number(headers['content-length'] ?? 0) > (faults.maxBody ?? Infinity)) {
      outgoing.writeHead(413).end();
      return;
    }
    const { upgrade: _, connection: __, ...keptHeaders } = headers;
    const forwarded = { ...keptHeaders, ...(faults.host && { host: faults.host }) };
    const onward = request({ port, method, path: url, headers: forwarded }, (answer) => {
      const date = new Date(Date.now() + (faults.secondsAhead ?? 0) * 1000).toUTCString();
      const serverHeader = faults.isCaddy ? { server: 'Caddy' } : {};
      const first = Object.entries({ ...answer.headers, date, ...serverHeader }).flat() as string[];
      const second = faults.repeats ? [faults.repeats, 'again'] : [];
      outgoing.writeHead(answer.statusCode ?? 500, [...first, ...second]);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  server.on('upgrade', ({ url, headers }, socket) => {
    socket.on('error', () => {});
    if (faults.dropsUpgrades) {
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      return;
    }
    const onward = request({ port, path: url, headers });
    const answerWith = (status = 500) => socket.end(`HTTP/1.1 ${status} Answer\r\n\r\n`);
    onward
      .on('response', (answer) => answerWith(answer.statusCode))
      .on('error', () => answerWith());
    onward.end();
  });
  return server.listen(0, 'localhost');
}

async function start(): Promise<void> {
  app = await startApp(settings, database);
}

/** @returns what is not in order */
async function examine(changes: Readonly<Record<string, string>> = {}, ...args: string[]) {
  const { code, output } = await runCommand('doctor', ['--json', ...args], {
    ...settings,
    ...changes,
  });
  const findings = JSON.parse(output) as Finding[];
  const faulty = findings.filter(({ state }) => state !== 'ok');
  expect(code).toBe(findings.some(({ state }) => state === 'problem') ? 1 : 0);
  return { findings, faulty: faulty.map(({ part, text }) => `${part}: ${text}`).join('\n') };
}

test('the doctor finds no problem in a server that is set up well [DOCTOR-1]', async () => {
  await start();

  const { code, output } = await runCommandProcess('doctor', [], settings);

  const parts = output.split('\n').map((line) => line.slice(0, 13).trim());
  expect(parts).toEqual([
    ...[
      '✓ settings',
      '✓ data folder',
      '✓ disk',
      '✓ database',
      '! server key',
      '! backups',
      '✓ records',
      '! operators',
      '! operators',
      '✓ pictures',
    ],
    // Not every machine has one.
    expect.stringMatching(/^[✓!] sandbox$/),
    ...['! mail', '✓ proxy'],
  ]);
  expect(code).toBe(0);
});

test('the doctor explains a wrong argument or setting and exits with 2 [DOCTOR-1]', async () => {
  const unknownFlag = await runCommand('doctor', ['--mail'], settings);
  expect(unknownFlag).toMatchObject({
    code: 2,
    output: expect.stringContaining('npm run doctor --'),
  });

  const { code, output } = await runCommand('doctor', [], { ...settings, PORT: '0' });
  expect({ code, output }).toEqual({
    code: 2,
    output: 'Cannot check: PORT is "0": use a number from 1 to 65535.',
  });
});

test('settings of a public server that endanger its members are problems [DOCTOR-2]', async () => {
  const { faulty } = await examine({
    PUBLIC_URL: 'https://chat.university.invalid',
    LIMIT_FACTOR: 'off',
  });
  expect(faulty).toContain('settings: EMAIL_VERIFICATION is off');
  expect(faulty).toContain('settings: LIMIT_FACTOR is off');
  expect(faulty).toContain('settings: TRUSTED_PROXIES is 0');
  expect(faulty).toContain('proxy: https://chat.university.invalid cannot be reached: its name');
  expect(faulty).toContain('backups: BACKUP_DIR is not set');

  const backedUp = { BACKUP_DIR: join(database.settings.DATA_DIR, '..', 'backups') };
  const other = await examine({ PUBLIC_URL: 'https://chat.university.invalid', ...backedUp });
  expect(other.faulty).not.toContain('BACKUP_DIR is not set');

  const plain = await examine({ PUBLIC_URL: 'http://chat.university.invalid' });
  expect(plain.faulty).toContain('use https');
});

test('a backup that is damaged in the middle is a problem [DOCTOR-2]', async () => {
  const backupDir = join(database.settings.DATA_DIR, '..', `backups-${randomUUID()}`);
  onTestFinished(() => rmSync(backupDir, { recursive: true }));
  settings['BACKUP_DIR'] = backupDir;
  await start();
  const listBackups = () =>
    existsSync(backupDir) ? readdirSync(backupDir).filter((file) => file.endsWith('.sqlite')) : [];
  await expect.poll(listBackups, { timeout: 60_000 }).toHaveLength(1);

  const backup = openSync(join(backupDir, listBackups()[0]!), 'r+');
  writeSync(backup, Buffer.alloc(20_000), 0, 20_000, 100_000);
  closeSync(backup);

  expect((await examine()).faulty).toContain('backups: The newest one cannot be opened');
});

test('too few operators, no contact and a backup under an earlier key are warnings [DOCTOR-2]', async () => {
  const backupDir = join(database.settings.DATA_DIR, '..', `backups-${randomUUID()}`);
  onTestFinished(() => rmSync(backupDir, { recursive: true }));
  settings['BACKUP_DIR'] = backupDir;
  await start();
  await expect
    .poll(async () => (await examine()).findings, { timeout: 60_000 })
    .toContainEqual({
      part: 'backups',
      state: 'ok',
      text: expect.stringMatching(/sqlite is whole, and can be opened with the server key\.$/),
    });
  const { faulty } = await examine();
  expect(faulty).toContain('operators: There is none: only a second one can confirm');
  expect(faulty).toContain('operators: SUPPORT_CONTACT is not set');

  const complete = await examine({
    OPERATORS: 'kim@university.edu,robin@university.edu',
    EMAIL_VERIFICATION: 'required',
    SUPPORT_CONTACT: 'help@university.edu',
    SECRET_KEY: settings['SECRET_KEY'] ?? '',
  });
  expect(complete.faulty).not.toContain('operators:');

  const [name = ''] = readdirSync(backupDir).filter((file) => file.endsWith('.sqlite'));
  const backup = new SQLite(join(backupDir, name));
  backup.exec(`update "serverMetadata" set value = 'another key' where name = 'keyCheck'`);
  backup.close();
  expect((await examine()).faulty).toMatch(
    /^backups: .* needs another key than that of the server/m,
  );

  truncateSync(join(backupDir, name), 40_000);
  expect((await examine()).faulty).toContain('backups: The newest one cannot be opened');
});

test('a certificate chain is incomplete only if the missing certificate leads to a known authority [DOCTOR-6]', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'backchannel-chain-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const issuerServer = createServer((_, response) =>
    response.end(new X509Certificate(readFileSync(join(dir, 'middle.pem'))).raw),
  ).listen(0, 'localhost');
  await once(issuerServer, 'listening');
  const { port: issuerPort } = issuerServer.address() as AddressInfo;
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'pipe' });
  const create = (name: string, signer: string | null, ...extensions: string[]) =>
    openssl(
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', '-subj', `/CN=${name}`],
      ...['-keyout', `${name}.key`, '-out', `${name}.pem`],
      ...(signer === null ? [] : ['-CA', `${signer}.pem`, '-CAkey', `${signer}.key`]),
      ...extensions.flatMap((extension) => ['-addext', extension]),
    );
  create('root', null, 'basicConstraints=critical,CA:TRUE');
  create('middle', 'root', 'basicConstraints=critical,CA:TRUE');
  create(
    'localhost',
    'middle',
    'basicConstraints=critical,CA:FALSE',
    'subjectAltName=DNS:localhost',
    `authorityInfoAccess=caIssuers;URI:http://localhost:${issuerPort}/`,
  );
  const [key, cert] = ['key', 'pem'].map((suffix) =>
    readFileSync(join(dir, `localhost.${suffix}`)),
  );
  const server = createHttpsServer({ key: key!, cert: cert! }).listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const knownAuthorities = getCACertificates('default');
  onTestFinished(() => {
    setDefaultCACertificates(knownAuthorities);
    server.close();
    issuerServer.close();
  });
  const publicUrl = { PUBLIC_URL: `https://localhost:${port}`, TRUSTED_PROXIES: '1' };

  expect((await examine(publicUrl)).faulty).toContain('set NODE_EXTRA_CA_CERTS');
  setDefaultCACertificates([readFileSync(join(dir, 'root.pem'), 'utf8')]);
  expect((await examine(publicUrl)).faulty).toContain('its certificate chain is incomplete');
});

test('files that others can read are problems [DOCTOR-3]', async () => {
  await start();
  const file = join(database.settings.DATA_DIR, 'server.key');
  // With SECRET_KEY there is no such file.
  if (settings['SECRET_KEY'] !== undefined) writeFileSync(file, 'of an earlier setup');
  chmodSync(file, 0o640);

  const { faulty } = await examine();

  expect(faulty).toContain(`can read or change ${file}: chmod -R go= `);
});

test('each file of the data folder that others can read is counted [DOCTOR-3]', async () => {
  await start();
  const folder = join(database.settings.DATA_DIR, 'images', 'ab');
  mkdirSync(folder, { recursive: true });
  for (const name of ['one.webp', 'two.webp', 'three.webp']) {
    writeFileSync(join(folder, name), '', { mode: 0o644 });
    chmodSync(join(folder, name), 0o644);
  }

  const { faulty } = await examine();

  expect(faulty).toMatch(/webp and 2 other files: chmod -R go= /);
});

test('a key that is not that of the database is a problem [DOCTOR-15]', async () => {
  await start();

  const { faulty } = await examine({ SECRET_KEY: 'y'.repeat(32) });

  expect(faulty).toContain('database: this database belongs to another server key.');
});

test('accounts, sessions and registers that the server key does not open are counted [DOCTOR-16]', async () => {
  await start();
  const ada = createTestClient(settings['PUBLIC_URL']!, 'ada@university.edu');
  await ada.signUp();
  await ada.createClass();
  expect((await examine()).faulty).not.toContain('records');

  // Values that were moved from another row cannot be opened, either.
  const members = `registers where kind = 'members'`;
  await database.query('update sessions set content = (select content from accounts)');
  await database.query(`update accounts set content = (select content from ${members})`);
  await database.query(
    `update registers set content = (select content from sessions) where kind = 'members'`,
  );

  expect((await examine()).faulty).toContain(
    'records: 1 accounts, 1 sessions and 1 registers of classes are damaged: the server key does not open them. Restore the newest backup',
  );
});

test('a limit of Caddy for bodies is a problem if it is smaller than a picture [DOCTOR-6]', async () => {
  await start();
  let maxSize = 11 * 1024 * 1024;
  const caddy = createServer((_, response) =>
    response.end(`{"handle":[{"handler":"request_body","max_size":${maxSize}}]}`),
  ).listen(0, 'localhost');
  onTestFinished(() => {
    vi.unstubAllEnvs();
    caddy.close();
  });
  await once(caddy, 'listening');
  vi.stubEnv('CADDY_ADMIN', `localhost:${(caddy.address() as AddressInfo).port}`);
  faults = { isCaddy: true };

  expect((await examine()).faulty).not.toContain('Caddy');
  maxSize = 1024 * 1024;
  expect((await examine()).faulty).toContain('Caddy rejects files of more than 1048576 bytes');
});

test('a sign-on provider that does not answer or names another issuer is a problem [DOCTOR-8]', async () => {
  const provider = await startOidcServer('http://localhost:3000');
  const { issuer } = provider;
  const examineSignOn = async (changes: Record<string, string>) =>
    (await examine({ ...provider.settings, ...changes })).findings.filter(
      ({ part }) => part === 'sign-on',
    );

  expect(await examineSignOn({})).toMatchObject([{ state: 'ok', text: `${issuer} answers.` }]);

  const other = issuer.replace('127.0.0.1', 'localhost');
  const named = await examineSignOn({ OIDC_ISSUER: other, PASSWORD_SIGN_IN: 'off' });
  expect(named).toMatchObject([
    { state: 'problem', text: expect.stringContaining('names another issuer') },
    { state: 'warning', text: expect.stringContaining('SMTP_URL is not set') },
  ]);

  await provider.stop();
  expect(await examineSignOn({})).toMatchObject([
    { state: 'problem', text: expect.stringContaining('does not answer') },
  ]);
});

test('the doctor checks the other parts although the database does not answer [DOCTOR-4]', async () => {
  await start();
  const port = await findFreePort();
  const url = `postgres://user:a-password@127.0.0.1:${port}/chat`;

  const { findings } = await examine({ DATABASE_URL: url, SECRET_KEY: 'x'.repeat(32) });

  const databaseFinding = findings.find(({ part }) => part === 'database');
  expect(databaseFinding).toMatchObject({
    state: 'problem',
    text: expect.stringContaining('no PostgreSQL listens'),
  });
  expect(findings.at(-1)).toMatchObject({ part: 'proxy', state: 'ok' });
  expect(JSON.stringify(findings)).not.toContain('a-password');
});

test('the doctor tries the mail server and sends a mail to a given address [DOCTOR-5]', async () => {
  const smtp = await startFakeSmtp();
  const mail = { SMTP_URL: smtp.url, EMAIL_VERIFICATION: 'off' };
  expect((await examine(mail)).faulty).not.toContain('mail:');
  expect(smtp.taken).toEqual([]);

  await examine(mail, '--mail', 'you@university.edu');
  expect(smtp.taken).toHaveLength(1);

  smtp.answer('550 5.1.1 no such user');
  expect((await examine(mail, '--mail', 'you@university.edu')).faulty).toMatch(
    /mail: .*no such user/,
  );

  await smtp.stop();
});

test.each([
  ['sends another host name', { host: 'inside.example' }, 'forward the Host header'],
  ['drops upgrades', { dropsUpgrades: true }, 'forward the Upgrade and Connection headers'],
  ['refuses large bodies', { maxBody: 1024 * 1024 }, 'client_max_body_size 11m'],
  ['repeats a header', { repeats: 'x-frame-options' }, 'The header x-frame-options arrives twice'],
  ['has another time', { secondsAhead: 20 }, 'seconds behind'],
] as const)('a proxy that %s is a problem [DOCTOR-6, DOCTOR-13]', async (_, fault, text) => {
  await start();
  faults = fault;

  const { faulty } = await examine();

  expect(faulty).toContain(text);
  expect(
    faulty.split('\n').filter((line) => !/^(mail|server key|backups|operators|sandbox)/.test(line)),
  ).toHaveLength(1);
});

test('the doctor notices another server at PUBLIC_URL [DOCTOR-6]', async () => {
  const other = createServer((_, response) => response.end('<h1>It works!</h1>'));
  other.listen(0, 'localhost');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;

  const { faulty } = await examine({ PUBLIC_URL: `http://localhost:${port}` });

  expect(faulty).toContain('it is not this app');

  other.close();
});
