// A data folder that has what belongs to a site, but no database: a backup was restored in part, or a disk is not mounted.
import { existsSync } from 'node:fs';
import type { Config } from '#server/config/config-types.ts';
import { listImages } from '#server/pictures/image-store.ts';
import type { Log } from '#server/base/log.ts';
import { toServerKeyFile } from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';

type Folder = Pick<Config, 'database' | 'dataDir' | 'images'>;

/** What is in the folder without its SQLite database; null if nothing is, or the database is there. */
export function findRemains({ database, dataDir, images }: Folder): 'pictures' | 'key' | null {
  if (database.kind !== 'sqlite' || existsSync(database.file)) return null;
  if (images.kind === 'disk' && listImages(images.dir).length > 0) return 'pictures';
  return existsSync(toServerKeyFile(dataDir)) ? 'key' : null;
}

export function toMissingDatabaseAdvice({ database, dataDir, images }: Folder): string {
  const file = database.kind === 'sqlite' ? database.file : '';
  const remains = findRemains({ database, dataDir, images });
  const remainingPath =
    remains === 'pictures' && images.kind === 'disk' ? images.dir : toServerKeyFile(dataDir);
  return `${file} is missing, but ${remainingPath} is there. Restore the database (npm run restore), or mount its disk. For a new, empty site move ${remainingPath} away.`;
}

/**
 * Call it before the server makes its key or its database.
 *
 * @throws {StartupError} if there are pictures: an empty site would hide the loss until new data is there, too
 */
export function checkFirstStart(config: Folder, log: Log): void {
  const remains = findRemains(config);
  if (remains === 'pictures') throw new StartupError(toMissingDatabaseAdvice(config));
  // An operator may have put it there for a new site, and the first start may have been interrupted.
  if (remains === 'key') log.warn('database.missing', {});
}
