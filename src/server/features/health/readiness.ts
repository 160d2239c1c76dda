// Checks whether the server can read and write, for monitors and load balancers.
import { statfs } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '#server/feature.ts';
import { listDiskFolders } from '#server/pictures/upload-space.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';

/** What `/readyz` checks. */
export type ReadinessPart = 'disk' | 'database' | 'pictures';

const timeoutMs = 2_000;
/** If a commit succeeded or S3 answered within this time, its check is skipped, so that frequent requests cost little. */
const recentMs = 5_000;
/** Enough for a sign-up and a page of messages. */
const minFreeBytes = 1024 * 1024;

/** @returns a check that takes at most two seconds, and names what fails */
export function createReadiness(
  server: Pick<Server, 'config' | 'db' | 'commits' | 'accountCommits' | 'imageStore'>,
): () => Promise<ReadinessPart[]> {
  const { db, commits, accountCommits, imageStore } = server;
  /** Where the server stores data on this machine. */
  const folders = listDiskFolders(server.config);
  let imagesReachedAt = -Infinity;
  const checks: [ReadinessPart, () => Promise<boolean>][] = [
    ['disk', shareRun(async () => void (await Promise.all(folders.map(checkFreeSpace))))],
    [
      'database',
      shareRun(async () => {
        await db.selectFrom('serverMetadata').select('name').limit(1).execute();
        await Promise.all([commits, accountCommits].map(tryCommit));
      }),
    ],
    [
      'pictures',
      shareRun(async () => {
        if (performance.now() - imagesReachedAt < recentMs) return;
        await imageStore.check();
        imagesReachedAt = performance.now();
      }),
    ],
  ];
  return async () => {
    const failedParts = await Promise.all(
      checks.map(async ([part, check]) => ((await check()) ? [] : [part])),
    );
    return failedParts.flat();
  };
}

/** Wraps a check so that concurrent calls share one run of it, even if the run hangs. */
function shareRun(check: () => Promise<void>): () => Promise<boolean> {
  let currentRun: Promise<boolean> | null = null;
  return () => {
    currentRun ??= check()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        currentRun = null;
      });
    return Promise.race([currentRun, sleep(timeoutMs, false, { ref: false })]);
  };
}

async function checkFreeSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < minFreeBytes) throw new Error('The disk is full.');
}

/** Writes and deletes a row, unless a commit has just succeeded. */
async function tryCommit(queue: CommitQueue): Promise<void> {
  const { isFailing, lastCommitAt } = queue.health();
  if (!isFailing && performance.now() - lastCommitAt < recentMs) return;
  await queue.write(async ({ db }) => {
    await db.deleteFrom('serverMetadata').where('name', '=', 'readiness').execute();
    await db.insertInto('serverMetadata').values({ name: 'readiness', value: '' }).execute();
    await db.deleteFrom('serverMetadata').where('name', '=', 'readiness').execute();
  }, 'independent');
}
