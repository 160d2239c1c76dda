// Makes one backup in BACKUP_DIR, then deletes expired backups, and pictures that no backup needs any more.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import type { BackupConfig, Config } from '#server/config/config-types.ts';
import { copyImages, isImageName } from '#server/pictures/image-store.ts';
import { createLog } from '#server/base/log.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import { backUp } from './back-up.ts';
import { lockFile } from '#server/store/folder-lock.ts';
import { toFileNames } from '#server/chat/attachments/attachment-queries.ts';
import { listExpiredBackups, isBackupName, toSharedPicturesFolder } from './backup-names.ts';

export interface BackupJob extends Pick<Config, 'database' | 'images'> {
  dir: BackupConfig['dir'];
  /** The name of the new file. */
  name: string;
}

/** Another process makes a backup in the same folder. */
export class OtherBackupError extends StartupError {}

/**
 * Makes a backup. Its file gets its name when it is complete and checked, so a killed process leaves nothing that looks like a
 * backup.
 *
 * @param seal as for `backUp`
 * @throws {StartupError}
 */
export async function makeBackup(
  job: BackupJob,
  seal: ((file: string) => void) | null = null,
): Promise<void> {
  const unlock = lockBackups(job.dir);
  try {
    removeUnfinished(job.dir);
    await fillFolder(job, seal);
  } finally {
    unlock();
  }
}

/** Locks the folder, because the child process of a killed server may still make a backup. */
function lockBackups(dir: string): () => void {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    return lockFile(join(dir, 'backups.lock'));
  } catch (error) {
    if (getErrorCode(error) === 'SQLITE_BUSY') {
      throw new OtherBackupError(`another process makes a backup in ${dir}.`);
    }
    throw new StartupError(
      `this user cannot write to ${dir}. Choose a folder that this user owns.`,
    );
  }
}

async function fillFolder(
  { database, images, dir, name }: BackupJob,
  seal: ((file: string) => void) | null,
): Promise<void> {
  const file = join(dir, name);
  const copyFiles = () => {
    if (images.kind === 'disk') copyImages(images.dir, toSharedPicturesFolder(file));
  };
  const silent = createLog({ write: () => {} });
  await backUp(database, file, silent, () => {}, copyFiles, seal);
  for (const expired of listExpiredBackups(readdirSync(dir))) rmSync(join(dir, expired));
  removeUnusedPictures(dir, toSharedPicturesFolder(file));
}

/** Removes the files of backups whose process was killed. */
function removeUnfinished(dir: string): void {
  for (const name of readdirSync(dir)) {
    const [complete = ''] = name.split('.unfinished');
    if (complete !== name && isBackupName(complete)) rmSync(join(dir, name), { force: true });
  }
}

/** Removes the pictures that no database in the folder refers to. A database counts whatever its name is. */
function removeUnusedPictures(dir: string, pictures: string): void {
  const neededFiles = new Set<string>();
  for (const name of readdirSync(dir)) {
    if (!name.endsWith('.sqlite')) continue;
    for (const file of listPictureNames(join(dir, name))) neededFiles.add(file);
  }
  for (const name of listFiles(pictures)) {
    if (isImageName(name) && !neededFiles.has(name)) rmSync(join(pictures, name), { force: true });
  }
}

/** Lists the names of the files that the pictures of a backup can have. Not all files exist: most pictures have no PDF. */
export function listPictureNames(backup: string): Set<string> {
  const database = new SQLite(backup, { readonly: true });
  try {
    // A database of a version without pictures does not have this table.
    const hasPictures = database.prepare("select 1 from sqlite_schema where name = 'images'").get();
    if (!hasPictures) return new Set();
    const ids = database.prepare('select "imageId" from images').pluck().all() as string[];
    return new Set(ids.flatMap(toFileNames));
  } finally {
    database.close();
  }
}

function listFiles(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
