// Makes a backup each day while the server runs. If BACKUP_DIR already has the file of the day, no backup is made, also after a
// restart.
import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BackupConfig } from '#server/config/config-types.ts';
import { createDailyClock } from '#server/base/daily-clock.ts';
import type { Server } from '#server/feature.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import { toDailyName } from './backup-names.ts';
import type { BackupAnswer } from './backup-worker.ts';
import type { BackupJob } from './make-backup.ts';

const intervalMs = 30_000;
/** Shorter than the time between the end of the lease here and its start on another node. */
const leaseCheckMs = 500;
const retryDelayMs = 60 * 60_000;
const program = fileURLToPath(new URL('backup-worker.ts', import.meta.url));

/** @returns a function that stops the backups, also a backup in progress */
export function startScheduledBackups(
  { config, lease, log }: Pick<Server, 'config' | 'lease' | 'log'>,
  backups: BackupConfig,
): () => Promise<void> {
  const clock = createDailyClock(backups.time);
  const stopping = new AbortController();
  let retryAt = 0;

  async function makeDueBackup(): Promise<void> {
    if (!lease.isHeld()) return;
    const name = toDailyName(clock(Date.now()).day);
    if (Date.now() < retryAt || existsSync(join(backups.dir, name))) return;
    const { database, images } = config;
    const job = { database, images, dir: backups.dir, name };
    // Another node would make a backup in the same folder, which may be on a mount without locks.
    const leaseEnd = new AbortController();
    const leaseCheck = setInterval(() => {
      if (!lease.isHeld()) leaseEnd.abort();
    }, leaseCheckMs);
    const ending = AbortSignal.any([stopping.signal, leaseEnd.signal]);
    const problem = await runWorker(job, ending);
    clearInterval(leaseCheck);
    if (ending.aborted) return;
    if (problem === null) log.info('backup.made', { file: name });
    else {
      retryAt = Date.now() + retryDelayMs;
      log.error('backup.failed', { reason: problem });
    }
  }

  const stop = startRepeating(makeDueBackup, intervalMs);
  return async () => {
    stopping.abort();
    await stop();
  };
}

/** @returns why the backup failed, or null if it succeeded */
function runWorker(job: BackupJob, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    const worker = fork(program, {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // The job contains the settings that the worker needs.
      env: {},
      execArgv: [],
    });
    const kill = () => void worker.kill('SIGKILL');
    signal.addEventListener('abort', kill);
    let problem: string | null = 'the process that makes it died.';
    worker.on('message', (answer: BackupAnswer) => {
      ({ problem } = answer);
    });
    worker.on('error', kill);
    worker.on('close', () => {
      signal.removeEventListener('abort', kill);
      resolve(problem);
    });
    try {
      setPriority(worker.pid ?? 0, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // Not every operating system allows this.
    }
    worker.send(job, (error) => error && kill());
  });
}
