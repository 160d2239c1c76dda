// Accounts in backups are encrypted: backups of two days do not show which account came between them, next to the persona that came.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { replaceKey } from '#server/endings/replace-key.ts';
import { deriveServerKeys, computeKeyCheck } from '#server/base/server-keys.ts';
import { backUp } from '#server/features/backups/back-up.ts';
import { accountTables } from '#server/store/tables.ts';
import { restore } from '#server/features/backups/restore.ts';
import type { BackupKeys } from '#server/store/sealed-accounts.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { openFileDatabase, type TestDatabase } from '#tests/support/test-database.ts';
import { quoteAddressKey } from '#tests/support/stored-accounts.ts';

const log = createLog({ write: () => {} });
const app = setUpApp();
const days = 6;

let dir: string;
let classId: string;
let first: TestClient;
/** The folders of the daily backups, each as the database of a data folder. */
const backups: string[] = [];
/** What a thief sees who copies the running database each day. */
const copies: Row[][] = [];
/** Account ids to memberIds. */
const truth = new Map<string, string>();

type Row = Record<string, unknown>;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'backchannel-accounts-'));
  first = await app.createStudent();
  classId = await first.createClass();
  await copyDaily();
  for (let day = 0; day < days; day++) {
    const student = await app.createStudent();
    await student.join(classId);
    await student.post(classId, 'My first words');
    const [row] = await app.database.query(
      `select id from accounts where "addressKey" = ${quoteAddressKey(app.database, student.email)}`,
    );
    truth.set(String(row!['id']), (await student.snapshot(classId)).me.memberId);
    await copyDaily();
  }
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const toDatabasePath = (folder: string) => join(folder, 'backchannel.sqlite');

function deriveBackupKeys(secret = loadSecretKey()): BackupKeys {
  const keys = deriveServerKeys(secret);
  return { keyCheck: computeKeyCheck(keys), backupKey: keys.backups };
}

const loadSecretKey = () =>
  readFileSync(join(app.database.settings.DATA_DIR, 'server.key'), 'utf8').trim();

function makeBackup(file: string, keys: BackupKeys): Promise<void> {
  const { database } = loadConfig(app.database.settings);
  const doNothing = () => {};
  return backUp(database, file, log, doNothing, doNothing, { keys });
}

async function copyDaily(): Promise<void> {
  copies.push(await app.database.query('select id from accounts'));
  const folder = join(dir, String(backups.length));
  mkdirSync(folder);
  await makeBackup(toDatabasePath(folder), deriveBackupKeys());
  backups.push(folder);
}

/** Pairs the account with the persona that came on the same day. */
async function countPairs(listAccountRows: (day: number) => Promise<Row[]>): Promise<number> {
  const listIds = (rows: readonly Row[], column: string) => new Set(rows.map((row) => row[column]));
  const loadDay = async (day: number) => ({
    accounts: listIds(await listAccountRows(day), 'id'),
    personas: listIds(
      await openFileDatabase(backups[day]!).query('select "memberId" from personas'),
      'memberId',
    ),
  });
  let hits = 0;
  for (let day = 1; day <= days; day++) {
    const dayBefore = await loadDay(day - 1);
    const dayAfter = await loadDay(day);
    const [account] = dayAfter.accounts.difference(dayBefore.accounts);
    const [persona] = dayAfter.personas.difference(dayBefore.personas);
    if (account !== undefined && truth.get(String(account)) === persona) hits += 1;
  }
  return hits;
}

test('daily backups pair no account with a persona that appears on the same day [ANON-55]', async () => {
  const inBackups = await countPairs((day) =>
    openFileDatabase(backups[day]!).query('select id from accounts'),
  );
  const inCopies = await countPairs(async (day) => copies[day]!);

  expect([inBackups, inCopies]).toEqual([0, days]);
});

test('a backup holds no id and no address of an account [ANON-55]', async () => {
  const sizes = new Set<unknown>();

  for (const folder of backups) {
    const content = readFileSync(toDatabasePath(folder), 'latin1');
    for (const id of truth.keys()) expect(content).not.toContain(id);
    expect(content).not.toContain('@university.edu');
    const sealed = `select length(content) as size from "sealedAccounts"`;
    sizes.add((await openFileDatabase(folder).query(sealed))[0]!['size']);
  }

  expect(sizes.size).toBe(1);
});

async function loadAccounts({ query }: TestDatabase): Promise<Record<string, Row[]>> {
  const tables: Record<string, Row[]> = {};
  for (const table of accountTables) tables[table] = await query(`select * from "${table}"`);
  return tables;
}

test('a restored backup has every row of the accounts again [BACKUP-23]', async () => {
  const folder = join(dir, 'restored');
  mkdirSync(folder);
  const source = { keys: deriveServerKeys(loadSecretKey()), log, copyFiles: () => {} };

  await restore(toDatabasePath(backups.at(-1)!), toDatabasePath(folder), source);

  const restored = openFileDatabase(folder);
  expect(await loadAccounts(restored)).toEqual(await loadAccounts(app.database));
  expect(Object.keys(await restored.tables())).not.toContain('sealedAccounts');
});

test('a backup with another key than that of the database is rejected [BACKUP-23]', async () => {
  const file = join(dir, 'of another key');

  const backup = makeBackup(file, deriveBackupKeys('another secret'));

  await expect(backup).rejects.toThrow('is not the key of this database');
  expect(readdirSync(dir).filter((name) => name.startsWith('of another key'))).toEqual([]);
});

/** Creates a data folder whose database is the last backup. */
function copyByHand(): TestDatabase {
  const folder = mkdtempSync(join(dir, 'by hand '));
  cpSync(toDatabasePath(backups.at(-1)!), toDatabasePath(folder));
  return openFileDatabase(folder);
}

async function startOn(database: TestDatabase): Promise<RunningApp> {
  const restoredApp = await startApp({}, database);
  onTestFinished(() => restoredApp.close());
  return restoredApp;
}

test('a server with the key can start on a backup that was copied into its folder by hand [BACKUP-23]', async () => {
  const database = copyByHand();
  const key = join(app.database.settings.DATA_DIR, 'server.key');
  cpSync(key, join(database.settings.DATA_DIR, 'server.key'));

  const { origin } = await startOn(database);

  const student = createTestClient(origin, first.email);
  await student.signIn();
  expect((await student.call('listClasses', {})).classes).toMatchObject([{ classId }]);
});

test('a backup without its key has classes and messages, and everyone signs up again [BACKUP-24]', async () => {
  const database = copyByHand();
  const config = loadConfig(database.settings);

  const otherConfig = { ...config, secretKey: 'the key of another server, of 32 characters' };
  await expect(replaceKey(otherConfig, true, log)).rejects.toThrow('set NEW_SECRET_KEY');
  expect(await replaceKey(config, false, log)).toMatchObject({ accounts: 'deleted' });
  expect(await replaceKey(config, true, log)).toMatchObject({ accounts: 'deleted' });

  const { origin } = await startOn(database);
  const student = createTestClient(origin, first.email);
  await expect(student.signIn()).rejects.toMatchObject({ code: 'WRONG_CREDENTIALS' });

  await student.signUp();
  await student.join(classId);
  expect((await student.snapshot(classId)).messages).toHaveLength(days);
});
