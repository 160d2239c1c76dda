// `npm run admin -- new-key`: replaces the server key of the database while no server runs.
import { chmodSync, copyFileSync, existsSync, readFileSync, renameSync } from 'node:fs';
import type { Kysely } from 'kysely';
import { AccountRecords, type AccountRecord } from '#server/accounts/account-records.ts';
import { setMailboxKeys } from '#server/accounts/align-mailbox-keys.ts';
import { deleteAllBlocks } from '#server/accounts/blocked-addresses-queries.ts';
import { createMailboxes } from '#server/accounts/mailboxes.ts';
import { syncToDisk } from '#server/base/atomic-files.ts';
import { readWrittenKey } from '#server/base/key-copy.ts';
import type { Config } from '#server/config/config-types.ts';
import { forgetDigestProgress } from '#server/features/notifications/digest/digest-progress.ts';
import { forgetToolKeys } from '#server/features/lti/tool-keys.ts';
import { forgetMailedWork } from '#server/features/moderation/work/work-mails.ts';
import { unlinkPersonas, rekeyPersonas } from './key-change.ts';
import type { Log } from '#server/base/log.ts';
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
import type { DatabaseTransaction, Tables } from '#server/store/tables.ts';
import { lockPostgres } from '#server/store/dialects/postgres-lock.ts';
import { lockFolder } from '#server/store/folder-lock.ts';
import { overwriteOldRows } from '#server/store/erasure/overwrite-old-rows.ts';
import {
  checkDatabaseExists,
  findKeyCheck,
  openForCommand,
  openMigrated,
} from '#server/store/open-database.ts';
import { dropSealedAccounts } from '#server/store/sealed-accounts.ts';
import { startNewEpoch, writeMetadata } from '#server/store/server-metadata-queries.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { deleteAllSessions } from '#server/accounts/session-records.ts';

/** What the change has done, or would do. `accounts` is 'kept' if the old key is available: only it can open them. */
export interface KeyChange {
  accounts: 'kept' | 'deleted';
  newKeyPlace: 'file' | 'NEW_SECRET_KEY';
  /** An earlier change was interrupted after its commit, so only files had to be renamed. */
  resumed: boolean;
}

type Settings = Pick<
  Config,
  'domainAliases' | 'database' | 'dataDir' | 'keyDir' | 'secretKey' | 'newSecretKey'
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
  checkDatabaseExists(database);
  ensureServerKey(config);
  const unlock = lockFolder(dataDir);
  const lock =
    database.kind === 'postgres' ? await lockPostgres(database.url, log, 'command') : null;
  try {
    // Without the key, a migration would drop what is encrypted with it, so it must be confirmed.
    const reader = await openForCommand(database, log, { version: 'any' });
    let oldKeys: ServerKeys | null;
    try {
      oldKeys = await findOldKeys(reader, config);
      if (!confirmed) return await replaceInDatabase(reader, config, confirmed);
    } finally {
      await reader.destroy();
    }
    await using db = await openMigrated(database, oldKeys, log);
    const change = await replaceInDatabase(db, config, confirmed);
    await overwriteOldRows(db, database.kind, onWaiting);
    return change;
  } finally {
    await lock?.release();
    unlock();
  }
}

/** @returns null if the key of the database is lost */
async function findOldKeys(
  db: Kysely<Tables>,
  { secretKey, keyDir }: Settings,
): Promise<ServerKeys | null> {
  const storedCheck = await findKeyCheck(db);
  const secrets = [
    secretKey ?? loadIfPresent(toServerKeyFile(keyDir)),
    loadIfPresent(toPendingFile(keyDir)),
  ];
  const allKeys = secrets.flatMap((secret) => (secret === null ? [] : deriveServerKeys(secret)));
  return allKeys.find((keys) => computeKeyCheck(keys) === storedCheck) ?? null;
}

const toPendingFile = (keyDir: string) => `${toServerKeyFile(keyDir)}.pending`;

async function replaceInDatabase(
  db: Kysely<Tables>,
  { domainAliases, keyDir, secretKey, newSecretKey }: Settings,
  confirmed: boolean,
): Promise<KeyChange> {
  const isInFile = secretKey === null;
  const newKeyPlace = isInFile ? 'file' : 'NEW_SECRET_KEY';
  const file = toServerKeyFile(keyDir);
  const pendingFile = toPendingFile(keyDir);
  const storedCheck = await findKeyCheck(db);
  const canOpen = (secret: string) => computeKeyCheck(deriveServerKeys(secret)) === storedCheck;

  if (isInFile && canOpen(loadIfPresent(pendingFile) ?? '')) {
    if (confirmed) activateKey(pendingFile, keyDir);
    return { accounts: 'kept', newKeyPlace, resumed: true };
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
  const accounts = oldKeys ? 'kept' : 'deleted';
  if (!confirmed) return { accounts, newKeyPlace, resumed: false };

  const newKeys = deriveServerKeys(newSecret);
  // The key is written before the commit, so that it exists if the process dies after the commit.
  if (isInFile) writeServerKey(pendingFile, newSecret);
  await db.transaction().execute(async (writer) => {
    await deleteAllSessions(writer);
    const newRecords = new AccountRecords(
      newKeys.accounts,
      createMailboxes(domainAliases, newKeys.mailboxes),
    );
    let keptAccounts: readonly AccountRecord[] = [];
    if (oldKeys) {
      keptAccounts = await rekeyAccounts(writer, domainAliases, { oldKeys, newKeys, newRecords });
    } else {
      await dropSealedAccounts(writer);
      await unlinkPersonas(writer, newKeys.personas);
    }
    await setMailboxKeys(writer, newRecords, keptAccounts, computeKeyCheck(newKeys));
    await deleteAllBlocks(writer);
    await forgetDigestProgress(writer);
    await forgetMailedWork(writer);
    await forgetToolKeys(writer);
    await startNewEpoch(writer);
    await writeMetadata(writer, 'keyCheck', computeKeyCheck(newKeys));
  });
  if (isInFile) activateKey(pendingFile, keyDir);
  return { accounts, newKeyPlace, resumed: false };
}

/** Encrypts accounts again, and moves their personas. The provider's identities end, because all hashes change. */
async function rekeyAccounts(
  writer: DatabaseTransaction,
  domainAliases: Settings['domainAliases'],
  {
    oldKeys,
    newKeys,
    newRecords,
  }: { oldKeys: ServerKeys; newKeys: ServerKeys; newRecords: AccountRecords },
): Promise<readonly AccountRecord[]> {
  const oldMailboxes = createMailboxes(domainAliases, oldKeys.mailboxes);
  const oldRecords = new AccountRecords(oldKeys.accounts, oldMailboxes);
  const addMailboxes = (keys: ServerKeys, { toMailboxKey }: AccountRecords) => ({
    ...keys,
    suspensions: { ...keys.suspensions, toMailboxKey },
  });
  const accounts = (await Array.fromAsync(oldRecords.listAll(writer))).flat();
  await rekeyPersonas(
    writer,
    accounts,
    addMailboxes(oldKeys, oldRecords),
    addMailboxes(newKeys, newRecords),
  );
  for (const account of accounts) {
    const { id, ...row } = newRecords.seal({
      ...account,
      signOnKey: null,
      mailboxKey: null,
      lastUse: null,
      sessionGroup: createRandomId(),
    });
    await writer.updateTable('accounts').set(row).where('id', '=', id).execute();
  }
  return accounts;
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
