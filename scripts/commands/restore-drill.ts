// Tries out a backup: restores it into a temporary folder, starts a second server there, and checks both.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import SQLite from 'better-sqlite3';
import { toSharedPicturesFolder } from '#server/features/backups/backup-names.ts';
import { toSqliteFile } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { loadServerKeys, toServerKeyFile, writeServerKey } from '#server/base/server-keys.ts';
import { StartupError } from '#server/base/startup-failure.ts';
import { countFileRows } from '#server/features/backups/back-up.ts';
import { listTables } from '#server/store/tables.ts';
import { toDisplayName, toThumbName } from '#server/chat/attachments/attachment-queries.ts';
import { restore } from '#server/features/backups/restore.ts';
import { hasSealedAccounts, sealedTables } from '#server/store/sealed-accounts.ts';
import { findFreePort } from '../find-free-port.ts';
import { projectRoot } from '../run-tool.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

interface DrillResult {
  version: string;
  /** The number of rows and tables that are the same in the backup and in the restored database. */
  rows: number;
  tables: number;
  /** Null if pictures are not part of the backup. */
  pictures: number | null;
}

const readyTimeoutMs = 120_000;
const pollIntervalMs = 200;

/** The files of the pictures of a backup. */
export interface PictureFiles {
  /** Where the files are, for errors. */
  place: string;
  has(name: string): boolean;
}

/** Finds the pictures of a backup on the disk. */
export function findPictureFiles(backup: string): PictureFiles {
  const imagesFolder = `${backup}.images`;
  const place = existsSync(imagesFolder) ? imagesFolder : toSharedPicturesFolder(backup);
  return { place, has: (name) => existsSync(join(place, name)) };
}

/**
 * Restores the backup in a temporary folder, and starts a server there.
 *
 * @param pictureFiles null if the pictures are not part of the backup
 * @throws {StartupError} if the backup does not work
 */
export async function tryRestore(
  backup: string,
  key: string,
  pictureFiles: PictureFiles | null,
): Promise<DrillResult> {
  // The folder gets the key and the database, so it must not stay.
  const { path: folder, remove } = makeTemporaryFolder('backchannel-drill-');
  try {
    const file = toSqliteFile(folder);
    const keys = loadServerKeys(key, folder);
    const log = createLog({ write: () => {} });
    await restore(backup, file, {
      keys,
      log,
      copyFiles: () => {},
    });
    const counts = compareCounts(backup, file);
    const pictures = pictureFiles ? countPictures(file, pictureFiles) : null;
    writeServerKey(toServerKeyFile(folder), key);
    return { ...counts, pictures, version: await tryServer(folder) };
  } finally {
    remove();
  }
}

/** The tables whose rows a restore changes: it ends sign-up links, reset links and waiting mails. */
const changedTables = listTables('isChangedByRestore').map(({ table }) => table);

/** The tables that a later version renamed, and their new names. */
const renamedTables: Readonly<Record<string, string>> = {
  revocations: 'changeEvents',
};

function compareCounts(backup: string, file: string): { rows: number; tables: number } {
  const restoredCounts = countFileRows(file);
  const skippedTables: string[] = [
    ...changedTables,
    ...(hasSealedAccounts(backup) ? sealedTables : []),
  ];
  let rows = 0;
  let tables = 0;
  for (const [backupName, count] of countFileRows(backup)) {
    const name = renamedTables[backupName] ?? backupName;
    if (skippedTables.includes(name) || name.startsWith('kysely_') || !restoredCounts.has(name)) {
      continue;
    }
    if (restoredCounts.get(name) !== count) {
      throw new StartupError(
        `table "${name}" has ${count} rows in the backup and ${restoredCounts.get(name)} after the restore.`,
      );
    }
    rows += count;
    tables += 1;
  }
  return { rows, tables };
}

/** @throws {StartupError} if a file of a sent picture is missing */
function countPictures(file: string, { place, has }: PictureFiles): number {
  const database = new SQLite(file, { readonly: true });
  const ids = database.prepare(`select "imageId" from images where status = 'sent'`).pluck().all();
  database.close();
  const missing = (ids as string[]).filter((id) =>
    [toDisplayName(id), toThumbName(id)].some((name) => !has(name)),
  );
  if (missing.length === 0) return ids.length;
  throw new StartupError(
    `the files of ${missing.length} of ${ids.length} pictures are not in ${place}.`,
  );
}

/** Starts a server on the folder until it is ready. @returns the version of the server */
async function tryServer(folder: string): Promise<string> {
  const origin = `http://127.0.0.1:${await findFreePort()}`;
  const program = ['--import', './scripts/end-with-parent.ts', 'src/server/main.ts'];
  const child = spawn(process.execPath, [...program, '--without-web'], {
    cwd: projectRoot,
    stdio: ['pipe', 'ignore', 'ignore'],
    // The administrator's settings are left out, so that this server reaches no mail server, push service or other database.
    env: {
      PATH: process.env['PATH'],
      ENV_FILE: 'none',
      PUSH_HOSTS: 'none',
      DIGEST_TIME: 'off',
      DATA_DIR: folder,
      PORT: new URL(origin).port,
    },
  });
  const close = once(child, 'close');
  const killServer = () => child.kill('SIGKILL');
  process.once('exit', killServer);
  try {
    const deadline = Date.now() + readyTimeoutMs;
    while (!(await isReady(origin))) {
      if (child.exitCode !== null || Date.now() > deadline) {
        throw new StartupError('a server on the restored backup does not become ready.');
      }
      await sleep(pollIntervalMs);
    }
    const answer = await (await fetch(`${origin}/healthz`)).text();
    return answer.replace(/^ok /, '');
  } finally {
    child.kill('SIGTERM');
    await close;
    process.off('exit', killServer);
  }
}

async function isReady(origin: string): Promise<boolean> {
  try {
    return (await fetch(`${origin}/readyz`)).ok;
  } catch {
    return false;
  }
}
