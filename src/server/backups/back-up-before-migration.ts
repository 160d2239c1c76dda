// A backup before the first start of a newer version, which changes the tables.
import { existsSync } from 'node:fs';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { openForCommand } from '../storage/open-database.ts';
import { findEarlierVersion } from '../storage/migrations.ts';
import { beforeUpgradeName } from './backup-names.ts';
import { makeBackup } from './make-backup.ts';

/**
 * Without BACKUP_DIR, the log says that there is no backup.
 *
 * @throws {StartupError} if the backup fails; the database is then unchanged
 */
export async function backUpBeforeMigration(
  { database, images, backups }: Config,
  log: Log,
): Promise<void> {
  if (database.kind === 'sqlite' && !existsSync(database.file)) return;
  const db = await openForCommand(database, log, false);
  let earlier: string | null;
  try {
    earlier = await findEarlierVersion(db, database.kind);
  } finally {
    await db.destroy();
  }
  if (earlier === null) return;
  if (!backups) {
    log.warn('backup.skipped', {
      hint: 'The tables are changed without a backup. Set BACKUP_DIR to have one made before each upgrade.',
    });
    return;
  }
  const name = beforeUpgradeName(new Date());
  // The version before has to restore it, so its accounts are not encrypted.
  const job = { database, images, dir: backups.dir, name, isMigrated: false, keys: null };
  await makeBackup(job);
  log.info('backup.made', { file: name });
}
