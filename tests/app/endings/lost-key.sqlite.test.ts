// The server key is missing next to its database, or a change of the key was interrupted.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { runAdminCommand, runCommand } from '#tests/support/run-command.ts';
import { expectStartRefused } from '#tests/support/expect-start-refused.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { startProcess } from '#tests/support/server-process.ts';
import { openFileDatabase } from '#tests/support/test-database.ts';

let dir: string;
let data: string;
let settings: Record<string, string>;
let app: RunningApp | undefined;
const getKeyPath = () => join(data, 'server.key');

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-key-'));
  data = join(dir, 'data');
  settings = { DATA_DIR: data, PORT: String(await findFreePort()) };
  // Creates the database and its key.
  await start();
  await stop();
});
afterEach(async () => {
  await stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  app = await startApp(settings, openFileDatabase(data));
}
async function stop(): Promise<void> {
  await app?.close();
  app = undefined;
}
const listKeyFiles = () => readdirSync(data).filter((name) => name.startsWith('server.key'));

test('the server does not start without the key of its database, and explains the options [START-19]', async () => {
  rmSync(getKeyPath());
  await expectStartRefused(
    startProcess('node', settings),
    /server\.key is missing.*SECRET_KEY.*new-key/,
  );
  expect(listKeyFiles()).toEqual([]);

  const otherKey = { ...settings, SECRET_KEY: 'x'.repeat(43) };
  await expectStartRefused(startProcess('node', otherKey), /another server key.*new-key/);
  expect(listKeyFiles()).toEqual([]);
});

test('a data folder with pictures and no database is not taken for a new site [START-21, DOCTOR-15]', async () => {
  const database = join(data, 'backchannel.sqlite');
  for (const name of ['', '-wal', '-shm']) rmSync(`${database}${name}`, { force: true });
  const images = join(data, 'images');
  mkdirSync(images, { recursive: true });
  const picture = join(images, 'AAAAAAAAAAAAAAAA.webp');
  writeFileSync(picture, 'a picture');
  const advice = /backchannel\.sqlite is missing, but .*images is there.*restore/;

  await expectStartRefused(startProcess('node', settings), advice);
  expect([existsSync(database), existsSync(picture)]).toEqual([false, true]);

  const runDoctor = () => runCommand('doctor', [], settings);
  expect((await runDoctor()).output).toMatch(advice);

  // Only the key: an administrator may have put it there for a new site.
  rmSync(picture);
  expect((await runDoctor()).output).toMatch(/is missing, but .*server\.key is there/);

  await start();
  expect(app!.logLines.join('')).toContain('database.missing');

  await stop();
  await start();
  expect(app!.logLines.join('')).not.toContain('database.missing');
});

test.each(['', 'too short'])(
  'a key file that holds "%s" counts as a lost key, and new-key replaces it [START-19, ADMIN-6]',
  async (content) => {
    writeFileSync(getKeyPath(), content);

    await expectStartRefused(startProcess('node', settings), /holds no key.*new-key/);
    expect(await runAdminCommand(settings, 'new-key', '--yes')).toMatchObject({ code: 0 });

    await start();
  },
);

test('new-key keeps the old key in a file that only its owner can read [ADMIN-6]', async () => {
  const oldKey = readFileSync(getKeyPath(), 'utf8');

  expect(await runAdminCommand(settings, 'new-key', '--yes')).toMatchObject({
    code: 0,
    errors: [],
  });
  expect(listKeyFiles().toSorted()).toEqual(['server.key', 'server.key.old']);
  expect(readFileSync(`${getKeyPath()}.old`, 'utf8')).toBe(oldKey);
  expect(readFileSync(getKeyPath(), 'utf8')).not.toBe(oldKey);
  for (const name of listKeyFiles()) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);

  await start();
});

test('the next new-key completes one that crashed after its commit [ADMIN-6]', async () => {
  const oldKey = readFileSync(getKeyPath(), 'utf8');
  expect(await runAdminCommand(settings, 'new-key', '--yes')).toMatchObject({ code: 0 });

  // The state of the files between the commit and the rename.
  renameSync(getKeyPath(), `${getKeyPath()}.pending`);
  renameSync(`${getKeyPath()}.old`, getKeyPath());
  await expectStartRefused(startProcess('node', settings), /another server key.*new-key/);
  expect((await runAdminCommand(settings, 'new-key')).errors[0]).toContain('was interrupted');

  const done = await runAdminCommand(settings, 'new-key', '--yes');
  expect(done.out).toContain('is complete');
  expect(existsSync(`${getKeyPath()}.pending`)).toBe(false);
  expect(readFileSync(`${getKeyPath()}.old`, 'utf8')).toBe(oldKey);

  await start();
});

test('a new-key that crashed before its commit leaves the old key in use, and the next one starts over [ADMIN-6]', async () => {
  writeFileSync(`${getKeyPath()}.pending`, `${'y'.repeat(43)}\n`);
  await start();
  await stop();

  const done = await runAdminCommand(settings, 'new-key', '--yes');

  expect(done.out).toContain('Personas are kept');

  await start();
});

test('new-key creates nothing in a folder without a database [ADMIN-6]', async () => {
  const empty = join(dir, 'empty');

  const result = await runAdminCommand({ DATA_DIR: empty }, 'new-key', '--yes');

  expect(result.errors[0]).toContain('there is no');
  expect(existsSync(empty)).toBe(false);
});
