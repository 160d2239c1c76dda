// Backups in S3: uploads for `npm run backup -- --to s3://BUCKET/PREFIX`, and downloads for a restore.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listPictureNames } from '#server/features/backups/make-backup.ts';
import { S3Folder, parseS3Url } from '#server/features/backups/s3-folder.ts';
import type { Config } from '#server/config/config-types.ts';
import { createDiskStore, listImages } from '#server/pictures/image-store.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';

/** All backups of a prefix share their pictures. */
const picturesFolder = 'pictures';
/** Several requests run at a time, because a request takes longer than sending the bytes of a picture. */
const maxTransfers = 8;

export const isS3Url = (text: string) => text.startsWith('s3://');

/** @throws {StartupError} */
export function openTarget({ backupS3 }: Config, url: string): { folder: S3Folder; path: string } {
  const { bucket, path } = parseS3Url(url);
  return {
    folder: new S3Folder({ ...getAccess(backupS3), bucket }, path),
    path: `s3://${bucket}/${path}`,
  };
}

/** @throws {StartupError} */
export function openSource({ backupS3 }: Config, url: string): { folder: S3Folder; name: string } {
  const { bucket, path } = parseS3Url(url);
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  if (!name.endsWith('.sqlite')) {
    throw new StartupError(
      'name the backup itself, such as s3://bucket/backups/backchannel-2026-11-23T03-30-00-123.sqlite.',
    );
  }
  const prefix = path.slice(0, Math.max(0, slash));
  return { folder: new S3Folder({ ...getAccess(backupS3), bucket }, prefix), name };
}

function getAccess(backupS3: Config['backupS3']) {
  if (backupS3) return backupS3;
  throw new StartupError(
    'S3 needs keys: set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY, and BACKUP_S3_ENDPOINT unless it is Amazon.',
  );
}

/** Creates the name of a backup. It has milliseconds, because an object replaces another object with the same name. */
export function toBackupName(now: Date): string {
  return `backchannel-${now.toISOString().slice(0, 23).replace(/[:.]/g, '-')}.sqlite`;
}

/**
 * Uploads the pictures that the prefix does not have yet.
 *
 * @returns the number of pictures
 */
export async function uploadPictures(folder: S3Folder, dir: string): Promise<number> {
  const names = listImages(dir);
  const existing = await folder.list(`${picturesFolder}/`);
  const missing = names.filter((name) => !existing.has(`${picturesFolder}/${name}`));
  await runInParallel(missing, async (name) => {
    const content = await readFile(join(dir, name)).catch((error: unknown) => {
      // The picture was deleted meanwhile.
      if (getErrorCode(error) === 'ENOENT') return null;
      throw error;
    });
    if (content) await folder.put(`${picturesFolder}/${name}`, new Uint8Array(content));
  });
  return names.length;
}

async function runInParallel(
  names: readonly string[],
  transfer: (name: string) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < names.length; start += maxTransfers) {
    await Promise.all(names.slice(start, start + maxTransfers).map(transfer));
  }
}

/** Downloads the pictures of the backup that the data folder does not have. */
export async function downloadPictures(
  folder: S3Folder,
  backup: string,
  dir: string,
): Promise<void> {
  const store = createDiskStore(dir);
  const missing = [...listPictureNames(backup)].filter((name) => !existsSync(join(dir, name)));
  await runInParallel(missing, async (name) => {
    const content = await folder.get(`${picturesFolder}/${name}`);
    if (content) await store.put(name, content);
  });
}

/** Lists the names of the pictures of all backups of the prefix. */
export async function listPictures(folder: S3Folder): Promise<Set<string>> {
  const keys = await folder.list(`${picturesFolder}/`);
  return new Set([...keys].map((key) => key.slice(picturesFolder.length + 1)));
}

/** Downloads the backup, and its key if there is one. @returns the path of the backup */
export async function downloadBackup(folder: S3Folder, name: string, dir: string): Promise<string> {
  const file = join(dir, name);
  if (!(await folder.downloadFile(name, file))) throw new StartupError(`there is no ${name}.`);
  await folder.downloadFile(`${name}.key`, `${file}.key`);
  return file;
}
