import { createServer } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { createTestClient } from '#tests/support/test-client.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { startProcess, type ServerProcess } from '#tests/support/server-process.ts';
import { listStoredAccounts } from '#tests/support/stored-accounts.ts';

let dir: string;
let settings: Record<string, string>;
let processes: ServerProcess[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-start-'));
  settings = { DATA_DIR: join(dir, 'data'), PORT: String(await findFreePort()) };
  processes = [];
});
afterEach(async () => {
  for (const { child, ended } of processes) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(dir, { recursive: true, force: true });
});

function start(
  command: 'npm' | 'node' = 'node',
  extraSettings: Readonly<Record<string, string | undefined>> = {},
): ServerProcess {
  const newProcess = startProcess(command, { ...settings, ...extraSettings });
  processes.push(newProcess);
  return newProcess;
}

async function startAndWait(command: 'npm' | 'node' = 'node'): Promise<ServerProcess> {
  const server = start(command);
  await server.started();
  return server;
}

describe('the server', () => {
  test('the server prints its address, its data folder and the accepted domains [START-2, CONF-14, CONF-1]', async () => {
    const server = await startAndWait();

    expect(server.output()).toContain(`http://localhost:${settings['PORT']}`);
    expect(server.output()).toContain(settings['DATA_DIR']);
    expect(server.output()).toContain('university.edu');
    expect(statSync(join(dir, 'data', 'server.key')).mode & 0o777).toBe(0o600);
  });

  test('the server prints its version, database, verification setting and proxies [START-13]', async () => {
    const server = await startAndWait();
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

    await server.waitForOutput('proxies');

    expect(server.output()).toMatch(new RegExp(`version +${RegExp.escape(version)}\n`));
    expect(server.output()).toMatch(/database +SQLite\n/);
    expect(server.output()).toMatch(/verification +off\n/);
    expect(server.output()).toMatch(/proxies +none\n/);
  });

  test('the server warns if other machines can reach it and addresses are not verified [START-13]', async () => {
    const getOutput = async (extraSettings: Record<string, string>) => {
      const server = start('node', extraSettings);
      await server.waitForOutput('proxies');
      await server.stop();
      return server.output();
    };
    const warning = 'Warning: anyone who can reach this server';
    expect(await getOutput({ TRUSTED_PROXIES: '1' })).not.toContain(warning);
    expect(await getOutput({ HOST: '0.0.0.0' })).toContain(warning);
    expect(await getOutput({ PUBLIC_URL: 'https://chat.university.edu' })).toContain(warning);

    const verified = { HOST: '0.0.0.0', EMAIL_VERIFICATION: 'required' };
    expect(await getOutput(verified)).not.toContain(warning);
  });

  test.each(['SIGTERM', 'SIGINT'] as const)(
    'the server stops cleanly on %s and keeps all data [START-4, LOG-3]',
    async (signal) => {
      const server = await startAndWait();
      const origin = `http://127.0.0.1:${settings['PORT']}`;
      const ada = createTestClient(origin, 'ada@university.edu');
      await ada.signUp();
      const classId = await ada.createClass();
      const socket = await ada.connect();

      await socket.post(classId, 'kept');
      server.child.kill(signal);
      server.child.kill(signal);
      expect(await socket.waitFor('bye')).toMatchObject({ code: 1012 });
      expect(await socket.closed).toBe(1012);
      expect(await server.ended).toBe(0);

      await startAndWait();
      const { messages } = await ada.snapshot(classId);
      expect(messages.map((message) => message.text)).toEqual(['kept']);
    },
  );

  test('the server stores a password as an argon2id hash of 19 MiB and two passes, encrypted [AUTH-20, AUTH-70]', async () => {
    await startAndWait();
    const ada = createTestClient(`http://127.0.0.1:${settings['PORT']}`, 'ada@university.edu');
    await ada.signUp();

    const database = new SQLite(join(dir, 'data', 'backchannel.sqlite'), { readonly: true });
    const rows = database.prepare('select * from accounts').all() as Record<string, unknown>[];
    database.close();

    const [account] = await listStoredAccounts({
      settings: { DATA_DIR: join(dir, 'data') },
      query: async () => rows,
    });
    expect(account?.passwordHash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test('the server stops on a signal to npm start, and releases its port and folder [START-1, START-4]', async () => {
    const first = await startAndWait('npm');

    const page = await fetch(`http://localhost:${settings['PORT']}/signin`);

    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<meta name="email-domain" content="university.edu"');

    await first.stop();
    const second = await startAndWait('npm');
    second.child.kill('SIGINT');
    await second.ended;
    await startAndWait();
  });
});

describe('the server does not start', () => {
  test('the server does not start if its port is taken [START-5]', async () => {
    const other = createServer().listen(Number(settings['PORT']), '127.0.0.1');

    await expectStartRefused(start(), /port is in use/);

    other.close();
  });

  test('the server does not start on a folder that is not writable [START-5]', async () => {
    writeFileSync(join(dir, 'file'), '');

    await expectStartRefused(start('node', { DATA_DIR: join(dir, 'file', 'data') }), /DATA_DIR/);
    await expectStartRefused(start('node', { DATA_DIR: join(dir, 'file') }), /DATA_DIR/);
  });

  test.runIf(process.platform === 'linux')(
    'the server does not start in a file system that does not allow new folders [START-5]',
    async () => {
      await expectStartRefused(start('node', { DATA_DIR: '/proc/x/y' }), /DATA_DIR/);
    },
  );

  test('the server creates missing parent folders of the data folder and starts [START-2, CONF-1]', async () => {
    await start('node', { DATA_DIR: join(dir, 'a/b/c') }).started();

    expect(statSync(join(dir, 'a/b/c')).mode & 0o777).toBe(0o700);
  });

  test('the server does not start on a folder that another server uses, but does on one of a killed server [START-11]', async () => {
    const first = await startAndWait();

    const other = { PORT: String(await findFreePort()) };

    await expectStartRefused(start('node', other), /another server uses this data folder/);

    first.child.kill('SIGKILL');
    await first.ended;
    await startAndWait();
  });

  test('the server does not start with another key than the database’s [START-7]', async () => {
    const server = await startAndWait();

    await server.stop();

    const key = join(dir, 'data', 'server.key');
    const keyBefore = readFileSync(key, 'utf8');
    writeFileSync(key, 'x'.repeat(43));
    await expectStartRefused(start(), /server key/);

    writeFileSync(key, keyBefore);
    await startAndWait();
  });

  test('the server does not start with a damaged database file [START-5]', async () => {
    const server = await startAndWait();

    await server.stop();

    writeFileSync(join(dir, 'data', 'backchannel.sqlite'), 'not a database '.repeat(500));
    await expectStartRefused(start(), /damaged/);
  });

  test('the server does not start with a damaged register of roles, and says how to learn more [START-5]', async () => {
    const server = await startAndWait();
    await server.stop();
    const file = new SQLite(join(dir, 'data', 'backchannel.sqlite'));
    file.exec(`insert into registers values ('', 'staff', 'some version', x'00')`);
    file.close();

    await expectStartRefused(start(), /npm run doctor/);
  });

  // src/server/config/config.test.ts has the other settings.
  test.each([
    [{ PORT: 'http' }, /PORT is "http"/],
    [{ HOST: '203.0.113.7' }, /HOST/],
    [{ DATADIR: '/srv/chat' }, /DATADIR is not a setting. If you mean DATA_DIR, /],
  ])('the server does not start with %j [CONF-16, START-5]', async (wrongSettings, reason) => {
    await expectStartRefused(start('node', wrongSettings), reason);
  });
});
