// Backups of a server on PostgreSQL, and restores of any backup to either engine.
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFreePort } from '../../../scripts/find-free-port.ts';
import { loadImageMetadata, createJpeg, postPicture, upload } from '#tests/support/pictures.ts';
import { runCommand, type CommandResult } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createTestDatabase, type TestDatabase } from '#tests/support/test-database.ts';

let dir: string;
let file: string;
let port: string;
let databases: TestDatabase[];
let app: RunningApp | null;
let ada: TestClient;
let classId: string;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-backup-'));
  file = join(dir, 'monday');
  port = String(await findFreePort());
  databases = [];
  await start(await addDatabase());
  ada = await app!.createStudent();
  classId = await ada.createClass();
});
afterEach(async () => {
  await stop();
  for (const database of databases) await database.drop();
  rmSync(dir, { recursive: true });
});

async function addDatabase(server?: string): Promise<TestDatabase> {
  const database = await createTestDatabase(server);
  databases.push(database);
  return database;
}
/** The settings of the first server, on another database. */
const toSettings = ({ settings }: TestDatabase): Record<string, string> => ({
  ...settings,
  SECRET_KEY: databases[0]!.settings.SECRET_KEY!,
});
async function start(database: TestDatabase, settings: Record<string, string> = {}): Promise<void> {
  app = await startApp({ PORT: port, ...settings }, database);
}
async function stop(): Promise<void> {
  await app?.close();
  app = null;
}
const backUp = (...args: string[]) =>
  runCommand('backup', [file, ...args], toSettings(databases[0]!));
const restore = (database: TestDatabase, other: Record<string, string> = {}, from = file) =>
  runCommand('restore', [from], { ...toSettings(database), ...other });

async function listTexts(): Promise<string[]> {
  const { messages } = await ada.call('listMessages', { params: { classId }, query: {} });
  return messages.map(({ text }) => text);
}
async function expectRejected(run: Promise<CommandResult>, reason: RegExp): Promise<void> {
  const { code, output } = await run;
  expect(output).toMatch(reason);
  expect(output).toMatch(/^Cannot (back up|restore): .*$/);
  expect(code).toBe(1);
}
const findEpoch = async ({ query }: TestDatabase) =>
  (await query(`select value from "serverMetadata" where name = 'epoch'`))[0]?.['value'];

describe('a backup of PostgreSQL', () => {
  test('a backup of PostgreSQL has acknowledged data, no deleted data and no key [BACKUP-9, BACKUP-2]', async () => {
    const deletedText = randomUUID();
    const { id } = await ada.post(classId, deletedText);
    await ada.post(classId, 'kept');
    const socket = await ada.connectTo(classId);

    await socket.request({ type: 'delete', classId, messageId: id });
    expect(await backUp('--with-key')).toMatchObject({ code: 0 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir).toSorted()).toEqual(['monday', 'monday.key']);

    const content = readFileSync(file, 'latin1');
    expect(content).toContain('kept');
    expect(content).not.toContain(deletedText);

    const { SECRET_KEY } = databases[0]!.settings;
    expect(content).not.toContain(SECRET_KEY);
    expect(readFileSync(`${file}.key`, 'utf8').trim()).toBe(SECRET_KEY);
    expect(await socket.post(classId, 'the server goes on')).toMatchObject({ type: 'ack' });

    socket.close();
    await expectRejected(backUp(), /exists already/);
  });

  test('a backup of PostgreSQL is consistent while members write [BACKUP-9]', async () => {
    const socket = await ada.connectTo(classId);
    const posts: Promise<unknown>[] = [];
    let isDone = false;
    const backup = backUp().finally(() => (isDone = true));

    while (!isDone) {
      posts.push(socket.post(classId, `Message ${posts.length}`));
      await posts.at(-1);
    }
    expect(await backup).toMatchObject({ code: 0 });

    const copy = new SQLite(file, { readonly: true });
    const [row] = copy
      .prepare(
        `select seq, ordinal, (select count(*) from log) as entries,
          (select count(*) from messages) as messages from classes`,
      )
      .all() as [{ seq: number; ordinal: number; entries: number; messages: number }];
    copy.close();
    expect(row.messages).toBeLessThan(posts.length);
    expect(row).toEqual({ ...row, entries: row.seq, messages: row.ordinal });

    socket.close();
  });

  test('a failed backup of PostgreSQL explains itself in one line and leaves no file [BACKUP-9]', async () => {
    const unreachable = {
      ...toSettings(databases[0]!),
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
    };
    await expectRejected(runCommand('backup', [file], unreachable), /no PostgreSQL listens/);

    const empty = toSettings(await addDatabase());
    await expectRejected(runCommand('backup', [file], empty), /has not opened this database yet/);
    await expectRejected(
      runCommand('backup', [join(dir, 'no', 'where')], toSettings(databases[0]!)),
      /this user cannot write/,
    );
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('a restore', () => {
  test('a restore to an empty PostgreSQL has everything, under a new epoch [BACKUP-9, BACKUP-11, BACKUP-8, BACKUP-4]', async () => {
    await ada.post(classId, 'before');
    const socket = await ada.connectTo(classId);
    const { imageId, imageUrl } = await upload(ada, classId, await createJpeg());
    await postPicture(socket, classId, imageId);
    socket.close();

    const roomBefore = await ada.snapshot(classId);
    expect(await backUp()).toMatchObject({ code: 0 });

    await ada.post(classId, 'after');
    await stop();
    const other = await addDatabase();
    expect(await restore(other)).toMatchObject({
      code: 0,
      output: expect.stringContaining('is the database now') as string,
    });
    expect(readdirSync(other.settings.DATA_DIR)).not.toContain('backchannel.sqlite.restoring');

    await start(other, toSettings(other));
    expect(await listTexts()).toEqual(['before', '']);
    expect(await loadImageMetadata(ada, imageUrl)).toMatchObject({ width: 60 });

    const roomAfter = await ada.snapshot(classId);
    expect(roomAfter.me.memberId).toBe(roomBefore.me.memberId);
    expect(roomAfter.epoch).not.toBe(roomBefore.epoch);
    expect(await ada.post(classId, 'goes on')).toMatchObject({ type: 'ack' });
  });

  test('a restore requires a stopped server and an empty database [BACKUP-11, BACKUP-5]', async () => {
    await ada.post(classId, 'kept');
    expect(await backUp()).toMatchObject({ code: 0 });
    await expectRejected(restore(databases[0]!), /another server uses/);

    const otherFolder = { DATA_DIR: join(dir, 'elsewhere') };
    await expectRejected(restore(databases[0]!, otherFolder), /another server uses the database/);

    await stop();
    const tablesBefore = await databases[0]!.tables();
    await expectRejected(restore(databases[0]!), /is not empty\. Create an empty database/);
    expect(await databases[0]!.tables()).toEqual(tablesBefore);
  });

  test('a rejected restore of an unusable backup changes nothing [BACKUP-11, BACKUP-5]', async () => {
    expect(await backUp()).toMatchObject({ code: 0 });

    const other = await addDatabase();
    const newer = join(dir, 'newer');
    copyFileSync(file, newer);
    const copy = new SQLite(newer);
    copy.exec("insert into kysely_migration values ('9999', '2030-01-01')");
    copy.close();
    writeFileSync(join(dir, 'half'), readFileSync(file).subarray(0, statSync(file).size / 2));
    await expectRejected(restore(other, {}, newer), /newer version/);
    await expectRejected(restore(other, {}, join(dir, 'half')), /damaged, or not/);
    await expectRejected(restore(other, {}, join(dir, 'nothing')), /there is no/);
    await expectRejected(restore(other, { SECRET_KEY: 'x'.repeat(43) }), /another server key/);
    expect(await other.tables()).toEqual({});
    expect(existsSync(join(other.settings.DATA_DIR, 'backchannel.sqlite.restoring'))).toBe(false);
  });

  test('a restore replaces an interrupted copy of another backup [BACKUP-11]', async () => {
    await ada.post(classId, 'kept');
    expect(await backUp()).toMatchObject({ code: 0 });

    await stop();
    const other = await addDatabase();
    await other.query(
      'create table "transferProgress" (name text primary key, rows bigint, digest text, copied bigint, "lastKey" text)',
    );
    await other.query(
      `insert into "transferProgress" values ('messages', 5, 'of another', 3, '[]')`,
    );
    expect(await restore(other)).toMatchObject({ code: 0 });

    await start(other, toSettings(other));
    expect(await listTexts()).toEqual(['kept']);
  });

  test('an administrator can start a new epoch after a restore with PostgreSQL’s own tools [BACKUP-11]', async () => {
    const [database] = databases as [TestDatabase];

    const epochBefore = await findEpoch(database);
    const runNewEpoch = (settings = {}) =>
      runCommand('restore', ['--new-epoch'], { ...database.settings, ...settings });
    mkdirSync(join(dir, 'other'));
    await expectRejected(
      runNewEpoch({ DATA_DIR: join(dir, 'other') }),
      /another server uses the database/,
    );
    expect(await findEpoch(database)).toEqual(epochBefore);

    await stop();
    expect(await runNewEpoch()).toMatchObject({ code: 0 });
    expect(await findEpoch(database)).not.toEqual(epochBefore);
  });
});
