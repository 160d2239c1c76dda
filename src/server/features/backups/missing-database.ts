// Detects a data folder that has pictures or a server key but no database, because a backup was restored only in part, or a disk is
// not mounted.
import { existsSync } from 'node:fs';
import type { Config } from '#server/config/config-types.ts';
import { listImages } from '#server/pictures/image-store.ts';
import type { Log } from '#server/base/log.ts';
import { toServerKeyFile } from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';

type Folder = Pick<Config, 'database' | 'keyDir' | 'images'>;

/**
 * Finds what a folder without its SQLite database still contains.
 *
 * @returns null if it contains nothing of a site, or if the database exists
 */
export function findRemains({ database, keyDir, images }: Folder): 'pictures' | 'key' | null {
  if (database.kind !== 'sqlite' || existsSync(database.file)) return null;
  if (images.kind === 'disk' && listImages(images.dir).length > 0) return 'pictures';
  return existsSync(toServerKeyFile(keyDir)) ? 'key' : null;
}

export function toMissingDatabaseAdvice({ database, keyDir, images }: Folder): string {
  const file = database.kind === 'sqlite' ? database.file : '';
  const remains = findRemains({ database, keyDir, images });
  const remainingPath =
    remains === 'pictures' && images.kind === 'disk' ? images.dir : toServerKeyFile(keyDir);
  return `${file} is missing, but ${remainingPath} is there. Restore the database (npm run restore), or mount its disk. For a new, empty site move ${remainingPath} away.`;
}

/**
 * Call this before the server creates its key or its database.
 *
 * @throws {StartupError} if there are pictures, because an empty site would hide the loss until it has new data
 */
export function checkFirstStart(config: Folder, log: Log): void {
  const remains = findRemains(config);
  if (remains === 'pictures') throw new StartupError(toMissingDatabaseAdvice(config));
  // This only warns: an administrator may have put the key there for a new site, or the first start was interrupted.
  if (remains === 'key') log.warn('database.missing', {});
}
