// In a backup, all rows of accounts, their read marks and their preferences are encrypted. Otherwise, the backups of two days
// would show which accounts came or read between them, next to the personas that came or wrote (decision 92).
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { closeSync, openSync, renameSync, rmSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { StartupError } from '#server/base/startup-failure.ts';
import { accountTables, type DatabaseTransaction } from './tables.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const lengthBytes = 6;
/** A row of preferences has 32 kB, so one more row rarely changes the padded size. */
const minPaddedBytes = 1024 * 1024;
/** The number of rows of each table that are in memory together. */
const rowsPerValue = 2000;
const busyTimeoutMs = 2000;

/** The key of a server, and the value in the database by which it is recognized. */
export interface BackupKeys {
  keyCheck: string;
  backupKey: KeyObject;
}

/**
 * Moves the rows of accounts into encrypted values. Then it writes the file again, so that no bytes of the rows stay in the file,
 * and no place in the file depends on the rows. `FILE.unsorted` exists meanwhile.
 *
 * @throws {StartupError} if the key does not belong to the database, because no one could restore the backup
 */
export function sealAccounts(file: string, { keyCheck, backupKey }: BackupKeys): void {
  const unsortedFile = `${file}.unsorted`;
  renameSync(file, unsortedFile);
  closeSync(openSync(file, 'wx', 0o600));
  const backup = new SQLite(unsortedFile);
  try {
    if (findKeyCheck(backup) !== keyCheck) {
      throw new StartupError(
        'SECRET_KEY, or server.key in KEY_DIR, is not the key of this database. The accounts in the backup would be lost.',
      );
    }
    backup.pragma('foreign_keys = off');
    // A crash leaves nothing to repair: the file is then deleted.
    backup.pragma('journal_mode = off');
    backup.exec('create table "sealedAccounts" (content blob not null)');
    const insert = backup.prepare('insert into "sealedAccounts" values (?)');
    for (let offset = 0; ; offset += rowsPerValue) {
      const rows = serializeRows(backup, offset);
      if (rows === null) break;
      insert.run(encrypt(backupKey, rows));
    }
    for (const table of accountTables) backup.exec(`delete from "${table}"`);
    backup.prepare('vacuum into ?').run(file);
  } finally {
    backup.close();
    rmSync(unsortedFile, { force: true });
  }
}

/** @returns null if no table has so many rows */
function serializeRows(backup: SQLite.Database, offset: number): Buffer | null {
  backup.exec(`attach ':memory:' as sealed`);
  try {
    let count = 0;
    for (const table of accountTables) {
      const rows = `select * from main."${table}" limit ${rowsPerValue} offset ${offset}`;
      backup.exec(`create table sealed."${table}" as ${rows}`);
      count += backup.prepare(`select count(*) from sealed."${table}"`).pluck().get() as number;
    }
    return count > 0 ? backup.serialize({ attached: 'sealed' }) : null;
  } finally {
    backup.exec('detach sealed');
  }
}

/**
 * Puts the rows of accounts back into their tables. Other databases stay as they are: in older backups, and in those that were
 * made before an upgrade, the rows are still in their tables.
 *
 * @param file a database, which may be a backup that was copied into the data folder by hand
 * @returns false if the rows need another key
 * @throws {StartupError} if the rows are damaged
 */
export function openAccounts(file: string, { keyCheck, backupKey }: BackupKeys): boolean {
  if (!hasSealedAccounts(file)) return true;
  const backup = new SQLite(file, { timeout: busyTimeoutMs });
  try {
    if (findKeyCheck(backup) !== keyCheck) return false;
    backup.pragma('foreign_keys = off');
    // Earlier versions stored all rows in one value.
    const select = backup.prepare('select content from "sealedAccounts" where rowid = ?').pluck();
    const ids = backup.prepare('select rowid from "sealedAccounts"').pluck().all();
    backup.transaction(() => {
      for (const id of ids) restoreRows(backup, decrypt(backupKey, select.get(id) as Buffer));
      backup.exec('drop table "sealedAccounts"');
    })();
    return true;
  } finally {
    backup.close();
  }
}

/** Drops the accounts of a backup whose key is lost, if the database is one. */
export async function dropSealedAccounts(db: DatabaseTransaction): Promise<void> {
  await sql`drop table if exists "sealedAccounts"`.execute(db);
}

/** Tells whether the file is a backup that was not restored. */
export function hasSealedAccounts(file: string): boolean {
  let backup: SQLite.Database | null = null;
  try {
    backup = new SQLite(file, { readonly: true, fileMustExist: true, timeout: busyTimeoutMs });
    const schema = backup.prepare(`select 1 from sqlite_schema where name = 'sealedAccounts'`);
    return schema.get() !== undefined;
  } catch {
    // Whatever is wrong with the database, its next user reports it.
    return false;
  } finally {
    backup?.close();
  }
}

function findKeyCheck(database: SQLite.Database): unknown {
  const select = database.prepare(`select value from "serverMetadata" where name = 'keyCheck'`);
  return select.pluck().get();
}

function restoreRows(backup: SQLite.Database, serialized: Buffer): void {
  const rows = new SQLite(serialized);
  // The tables are those of the version that made the backup.
  const tables = rows.prepare('select name from sqlite_schema').pluck().all() as string[];
  for (const table of tables) copyRows(rows, backup, table);
  rows.close();
}

function copyRows(from: SQLite.Database, to: SQLite.Database, table: string): void {
  const select = from.prepare(`select * from "${table}"`).raw();
  const names = select.columns().map(({ name }) => `"${name}"`);
  const values = names.map(() => '?').join(', ');
  const insert = to.prepare(`insert into "${table}" (${names.join(', ')}) values (${values})`);
  for (const row of select.iterate()) insert.run(row);
}

/** Encrypts with padding, so that the size does not tell whether there is one account more. */
function encrypt(key: KeyObject, plain: Buffer): Buffer {
  const header = Buffer.alloc(lengthBytes);
  header.writeUIntBE(plain.length, 0, lengthBytes);
  const padding = Buffer.alloc(toPaddedLength(plain.length) - plain.length);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const parts = [header, plain, padding].map((part) => cipher.update(part));
  return Buffer.concat([nonce, ...parts, cipher.final(), cipher.getAuthTag()]);
}

function decrypt(key: KeyObject, content: Buffer): Buffer {
  const end = content.length - tagBytes;
  const decipher = createDecipheriv(algorithm, key, content.subarray(0, nonceBytes));
  decipher.setAuthTag(content.subarray(end));
  try {
    const plain = Buffer.concat([
      decipher.update(content.subarray(nonceBytes, end)),
      decipher.final(),
    ]);
    const length = plain.readUIntBE(0, lengthBytes);
    return plain.subarray(lengthBytes, lengthBytes + length);
  } catch {
    throw new StartupError('the accounts in the backup are damaged.');
  }
}

/** Rounds up by at most an eighth, or to `minPaddedBytes`. */
function toPaddedLength(length: number): number {
  const step = Math.max(minPaddedBytes, 2 ** Math.floor(Math.log2(length)) / 8);
  return Math.ceil(length / step) * step;
}
