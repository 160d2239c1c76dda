// A backup before the first start of a newer version, which changes the tables.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '#server/feature.ts';
import { findEarlierVersion } from '#server/store/migrations.ts';
import { canOpenSealedAccounts, sealAccounts } from '#server/store/sealed-accounts.ts';
import type { Database } from '#server/store/tables.ts';
import { toBeforeUpgradeName } from './backup-names.ts';
import { makeBackup, OtherBackupError } from './make-backup.ts';

const retryDelayMs = 1_000;
const maxWaitMs = 30 * 60_000;

/**
 * Backs up a database of an earlier version. If BACKUP_DIR is not set, the log says that there is no backup. If another process
 * makes a backup in the same folder, this waits. The other process may make the daily backup, or it may be another new node, after
 * whose migration nothing is left to do.
 *
 * @throws {StartupError} if the backup fails; the database is then unchanged
 */
export async function backUpBeforeMigration(
  db: Database,
  server: Pick<Server, 'config' | 'keys' | 'log'>,
): Promise<void> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    try {
      return await backUpEarlierVersion(db, server);
    } catch (error) {
      if (!(error instanceof OtherBackupError) || performance.now() > deadline) throw error;
      await sleep(retryDelayMs);
    }
  }
}

async function backUpEarlierVersion(
  db: Database,
  { config, keys, log }: Pick<Server, 'config' | 'keys' | 'log'>,
): Promise<void> {
  const { database, images, backups } = config;
  const lastMigration = await findEarlierVersion(db, database.kind);
  if (lastMigration === null) return;
  if (!backups) {
    log.warn('backup.skipped', {
      hint: 'The tables are changed without a backup. Set BACKUP_DIR to have one made before each upgrade.',
    });
    return;
  }
  const name = toBeforeUpgradeName(new Date());
  await makeBackup({ database, images, dir: backups.dir, name }, (file) => {
    // The earlier version must be able to restore the backup.
    if (canOpenSealedAccounts(lastMigration)) sealAccounts(file, keys.backups);
  });
  log.info('backup.made', { file: name });
}
