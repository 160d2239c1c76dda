// Version 0.3.0 stores accounts as they are, and encrypts their rows in its backups. This opens such a backup, and makes the one from
// before an upgrade, which version 0.3.0 can restore.
import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import SQLite from 'better-sqlite3';
import { sql } from 'kysely';
import { computeKeyCheck, type ServerKeys } from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import type { DatabaseTransaction } from './tables.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const lengthBytes = 6;
/** The number of rows of each table that are in memory together. */
const rowsPerValue = 2000;
const busyTimeoutMs = 2000;

/** The tables of version 0.3.0 whose rows name an account, or are paired with one by their order. */
export const sealedTables: readonly string[] = [
  ...['accounts', 'credentials', 'sessions', 'verifications', 'blockedAddresses'],
  ...['enrollments', 'readMarks', 'preferences', 'roles', 'questionVotes', 'reports'],
];

/** Tells whether the version that applied this migration last stores accounts as they are, and opens encrypted rows of a backup. */
export function canOpenSealedAccounts(lastMigration: string): boolean {
  return lastMigration >= '0075' && lastMigration < '0090';
}

/** Moves the rows of accounts into encrypted values, and writes the file again, so that no bytes of the rows stay in it. */
export function sealAccounts(file: string, key: KeyObject): void {
  const backup = new SQLite(file);
  try {
    backup.pragma('foreign_keys = off');
    // A crash leaves nothing to repair: the file is then deleted.
    backup.pragma('journal_mode = off');
    backup.exec('create table "sealedAccounts" (content blob not null)');
    const insert = backup.prepare('insert into "sealedAccounts" values (?)');
    for (let offset = 0; ; offset += rowsPerValue) {
      const rows = serializeRows(backup, offset);
      if (rows === null) break;
      insert.run(encrypt(key, rows));
    }
    for (const table of sealedTables) backup.exec(`delete from "${table}"`);
    backup.exec('vacuum');
  } finally {
    backup.close();
  }
}

/** @returns null if no table has so many rows */
function serializeRows(backup: SQLite.Database, offset: number): Buffer | null {
  backup.exec(`attach ':memory:' as sealed`);
  try {
    let count = 0;
    for (const table of sealedTables) {
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
 * Puts the rows of accounts back into their tables. Other databases stay as they are, and so does one of another key.
 *
 * @param file a database, which may be a backup that was copied into the data folder by hand
 * @throws {StartupError} if the rows are damaged
 */
export function openAccounts(file: string, keys: ServerKeys): void {
  if (!hasSealedAccounts(file)) return;
  const backup = new SQLite(file, { timeout: busyTimeoutMs });
  try {
    const findKeyCheck = backup.prepare(
      `select value from "serverMetadata" where name = 'keyCheck'`,
    );
    if (findKeyCheck.pluck().get() !== computeKeyCheck(keys)) return;
    backup.pragma('foreign_keys = off');
    // Earlier versions stored all rows in one value.
    const select = backup.prepare('select content from "sealedAccounts" where rowid = ?').pluck();
    const ids = backup.prepare('select rowid from "sealedAccounts"').pluck().all();
    backup.transaction(() => {
      for (const id of ids) restoreRows(backup, decrypt(keys.backups, select.get(id) as Buffer));
      backup.exec('drop table "sealedAccounts"');
    })();
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

function encrypt(key: KeyObject, plain: Buffer): Buffer {
  // Version 0.3.0 pads the rows, and stores their length.
  const length = Buffer.alloc(lengthBytes);
  length.writeUIntBE(plain.length, 0, lengthBytes);
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce);
  const parts = [cipher.update(length), cipher.update(plain), cipher.final()];
  return Buffer.concat([nonce, ...parts, cipher.getAuthTag()]);
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
