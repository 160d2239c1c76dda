// `npm run admin -- new-key`: replaces the server key of the database while no server runs.
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { setMailboxKeys } from '#server/accounts/align-mailbox-keys.ts';
import { deleteAllBlocks } from '#server/accounts/blocked-addresses-queries.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { syncToDisk } from '#server/base/atomic-files.ts';
import { readWrittenKey } from '#server/base/key-copy.ts';
import type { Config } from '#server/config/config-types.ts';
import { forgetDigestProgress } from '#server/features/notifications/digest/digest-progress.ts';
import { forgetMailedWork } from '#server/features/moderation/work/work-mails.ts';
import { unlinkPersonas, rekeyPersonas } from './key-change.ts';
import type { Log } from '#server/base/log.ts';
import { rekeyTimes } from './reseal-accounts.ts';
import {
  createSecret,
  deriveServerKeys,
  computeKeyCheck,
  ensureServerKey,
  toOldServerKeyFile,
  toServerKeyFile,
  writeServerKey,
  type ServerKeys,
} from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import type { Tables } from '#server/store/tables.ts';
import { lockPostgres } from '#server/store/dialects/postgres-lock.ts';
import { lockFolder } from '#server/store/folder-lock.ts';
import { findKeyCheck, openForCommand, openMigrated } from '#server/store/open-database.ts';
import { dropSealedAccounts, openAccounts } from '#server/store/sealed-accounts.ts';
import { startNewEpoch, writeMetadata } from '#server/store/server-metadata-queries.ts';
import { clearAllLastUses } from '#server/accounts/account-use-queries.ts';
import { rekeyPasswords } from '#server/accounts/sealed-passwords.ts';
import { clearSignOnKeys } from '#server/accounts/accounts-queries.ts';
import { deleteAllSessions } from '#server/accounts/sessions-queries.ts';

/** What the change has done, or would do. `personas` is 'kept' if the old key is available. */
export interface KeyChange {
  personas: 'kept' | 'unlinked';
  /** False if the database is a backup whose key is lost, so that no one can decrypt its accounts. */
  hasAccounts: boolean;
  newKeyPlace: 'file' | 'NEW_SECRET_KEY';
  /** An earlier change was interrupted after its commit, so only files had to be renamed. */
  resumed: boolean;
}

/** The interval at which the command checks whether other sessions have ended. */
const snapshotPollMs = 200;

type Settings = Pick<
  Config,
  'mailboxes' | 'database' | 'dataDir' | 'keyDir' | 'secretKey' | 'newSecretKey'
>;

/**
 * @param confirmed if false, nothing is changed
 * @param onWaiting called if another session of PostgreSQL can still see the old rows
 * @throws {StartupError} if the key cannot be replaced; the database and its key are then unchanged
 */
export async function replaceKey(
  config: Settings,
  confirmed: boolean,
  log: Log,
  onWaiting: () => void = () => {},
): Promise<KeyChange> {
  const { database, dataDir } = config;
  if (database.kind === 'sqlite' && !existsSync(database.file)) {
    throw new StartupError(
      `there is no ${database.file}. Set DATA_DIR to the data folder of the server.`,
    );
  }
  ensureServerKey(config);
  const unlock = lockFolder(dataDir);
  const lock =
    database.kind === 'postgres' ? await lockPostgres(database.url, log, 'command') : null;
  try {
    const hasAccounts = database.kind === 'postgres' || openWithOldKey(database.file, config);
    // Without the key, a migration would drop what is encrypted with it, so it must be confirmed.
    const reader = await openForCommand(database, log, false);
    let currentKeys: ServerKeys | null;
    try {
      currentKeys = await findCurrentKeys(reader, config);
      if (!confirmed) {
        return {
          ...(await replaceInDatabase(reader, config, confirmed, hasAccounts)),
          hasAccounts,
        };
      }
    } finally {
      await reader.destroy();
    }
    const db = await openMigrated(database, currentKeys, log);
    try {
      const change = await replaceInDatabase(db, config, confirmed, hasAccounts);
      await overwriteOldRows(db, database.kind, onWaiting);
      return { ...change, hasAccounts };
    } finally {
      await db.destroy();
    }
  } finally {
    await lock?.release();
    unlock();
  }
}

/** @returns null if the key of the database is lost */
async function findCurrentKeys(
  db: Kysely<Tables>,
  { secretKey, keyDir }: Settings,
): Promise<ServerKeys | null> {
  const storedCheck = await findKeyCheck(db);
  const file = toServerKeyFile(keyDir);
  const secrets = [secretKey ?? loadIfPresent(file), loadIfPresent(`${file}.pending`)];
  const candidates = secrets.flatMap((secret) => (secret === null ? [] : deriveServerKeys(secret)));
  return candidates.find((keys) => computeKeyCheck(keys) === storedCheck) ?? null;
}

/** @returns false if the database is a backup of another key */
function openWithOldKey(file: string, { secretKey, keyDir }: Settings): boolean {
  const keys = deriveServerKeys(secretKey ?? loadIfPresent(toServerKeyFile(keyDir)) ?? '');
  return openAccounts(file, { keyCheck: computeKeyCheck(keys), backupKey: keys.backups });
}

async function replaceInDatabase(
  db: Kysely<Tables>,
  { mailboxes, keyDir, secretKey, newSecretKey }: Settings,
  confirmed: boolean,
  hasAccounts: boolean,
): Promise<Omit<KeyChange, 'hasAccounts'>> {
  const isInFile = secretKey === null;
  const newKeyPlace = isInFile ? 'file' : 'NEW_SECRET_KEY';
  const file = toServerKeyFile(keyDir);
  const pendingFile = `${file}.pending`;
  const storedCheck = await findKeyCheck(db);
  const canOpen = (secret: string) => computeKeyCheck(deriveServerKeys(secret)) === storedCheck;

  if (isInFile && canOpen(loadIfPresent(pendingFile) ?? '')) {
    if (!confirmed) return { personas: 'kept', newKeyPlace, resumed: true };
    activateKey(pendingFile, keyDir);
    return { personas: 'kept', newKeyPlace, resumed: true };
  }
  const newSecret = isInFile ? createSecret() : newSecretKey;
  if (newSecret === null) {
    throw new StartupError(
      'the key is in SECRET_KEY, so set NEW_SECRET_KEY to the key that takes its place, for example from `openssl rand -base64 32`.',
    );
  }
  if (canOpen(newSecret)) {
    throw new StartupError('the database has this key already. Start the server with it.');
  }
  const oldSecret = secretKey ?? loadIfPresent(file);
  const oldKeys = oldSecret !== null && canOpen(oldSecret) ? deriveServerKeys(oldSecret) : null;
  const personas = oldKeys ? 'kept' : 'unlinked';
  if (!confirmed) return { personas, newKeyPlace, resumed: false };

  const newKeys = deriveServerKeys(newSecret);
  const addMailboxes = (keys: ServerKeys) => {
    const { toKey: toMailboxKey } = createMailboxes(mailboxes, keys.mailboxes);
    return { ...keys, suspensions: { ...keys.suspensions, toMailboxKey } };
  };
  // The key is written before the commit, so that it exists if the process dies after the commit.
  if (isInFile) writeServerKey(pendingFile, newSecret);
  await db.transaction().execute(async (writer) => {
    if (!hasAccounts) await dropSealedAccounts(writer);
    if (oldKeys) await rekeyPersonas(writer, addMailboxes(oldKeys), addMailboxes(newKeys));
    else await unlinkPersonas(writer, newKeys.personas);
    await clearSignOnKeys(writer);
    await setMailboxKeys(
      writer,
      createMailboxes(mailboxes, newKeys.mailboxes),
      oldKeys && oldKeys.times,
      computeKeyCheck(newKeys),
    );
    await deleteAllBlocks(writer);
    await forgetDigestProgress(writer);
    await forgetMailedWork(writer);
    await rekeyPasswords(writer, oldKeys && oldKeys.passwords, newKeys.passwords);
    await rekeyTimes(writer, oldKeys && oldKeys.times, newKeys.times);
    await clearAllLastUses(writer);
    await deleteAllSessions(writer);
    await startNewEpoch(writer);
    await writeMetadata(writer, 'keyCheck', computeKeyCheck(newKeys));
  });
  if (isInFile) activateKey(pendingFile, keyDir);
  return { personas, newKeyPlace, resumed: false };
}

/** Loads a key file, which may be damaged: then the key is lost. */
function loadIfPresent(file: string): string | null {
  return existsSync(file) ? readWrittenKey(readFileSync(file, 'utf8')) : null;
}

function activateKey(pendingFile: string, keyDir: string): void {
  const file = toServerKeyFile(keyDir);
  const oldFile = toOldServerKeyFile(keyDir);
  if (existsSync(file)) {
    copyFileSync(file, oldFile);
    chmodSync(oldFile, 0o600);
    syncToDisk(oldFile);
  }
  renameSync(pendingFile, file);
  syncToDisk(keyDir);
}

/** Removes all copies of old rows from the database files, because the old key can derive the old memberIds. */
async function overwriteOldRows(
  db: Kysely<Tables>,
  engine: 'sqlite' | 'postgres',
  onWaiting: () => void,
): Promise<void> {
  if (engine === 'sqlite') {
    await sql`vacuum`.execute(db);
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
    return;
  }
  await waitForOlderSnapshots(db, onWaiting);
  // PostgreSQL writes updated rows in update order. `cluster` also writes them in key order, into new files.
  const { rows } = await sql<{ table: string; key: string }>`
    select rel.relname as "table", key.relname as key
    from pg_index join pg_class rel on rel.oid = indrelid join pg_class key on key.oid = indexrelid
    where indisprimary
    and rel.relnamespace = (select oid from pg_namespace where nspname = current_schema())`.execute(
    db,
  );
  for (const { table, key } of rows) {
    await sql`cluster ${sql.table(table)} using ${sql.ref(key)}`.execute(db);
  }
  await replaceStatistics(db);
  await waitForOlderSnapshots(db, onWaiting);
  await sql`vacuum full pg_statistic`.execute(db);
}

/**
 * Waits until no session can see the old rows, because `cluster` and `vacuum full` would copy such rows. A session sees them if
 * it began to read before they were replaced, such as an open transaction or an `analyze` of the autovacuum. So do `cluster` and
 * `vacuum full` themselves while an older transaction writes in any database of the server.
 */
async function waitForOlderSnapshots(db: Kysely<Tables>, onWaiting: () => void): Promise<void> {
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id() as xid`.execute(db);
  const xid = rows[0]?.xid ?? '';
  const isWaiting = async () => {
    const olderSnapshots = await sql`
      select where pg_snapshot_xmin(pg_current_snapshot()) <= ${xid}::xid8
      or exists (
        select from pg_stat_activity
        where pid <> pg_backend_pid() and coalesce(datname, current_database()) = current_database()
        and age(backend_xmin) > age(${xid}::xid8::xid)
      )`.execute(db);
    return olderSnapshots.rows.length > 0;
  };
  if (!(await isWaiting())) return;
  onWaiting();
  while (await isWaiting()) await sleep(snapshotPollMs);
}

/** Replaces the statistics of PostgreSQL's planner, because they have values of rows. */
async function replaceStatistics(db: Kysely<Tables>): Promise<void> {
  await sql`analyze`.execute(db);
  // `analyze` keeps the statistics of an empty table. A change of a column's type to the same type removes them.
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select relname as "table", pg_attribute.attname as "column", format_type(atttypid, atttypmod) as type
    from pg_stats join pg_class on relname = tablename
    join pg_namespace on pg_namespace.oid = relnamespace and nspname = schemaname
    join pg_attribute on attrelid = pg_class.oid and pg_attribute.attname = pg_stats.attname
    where schemaname = current_schema() and reltuples = 0`.execute(db);
  for (const { table, column, type } of rows) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} type ${sql.raw(type)}`.execute(
      db,
    );
  }
}
