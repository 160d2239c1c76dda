// The child process of a scheduled backup: SQLite copies without a pause, which would hold up the chat.
import { getErrorCode, toFailureReason, StartupError } from '#server/base/startup-failure.ts';
import { makeBackup, type BackupJob } from './make-backup.ts';

/** What the child answers. */
export interface BackupAnswer {
  /** Why the backup failed, or null if it is complete. It is never the message of a library, which may quote data. */
  problem: string | null;
}

process.umask(0o077);
process.once('message', (job: BackupJob) => {
  void makeBackup(job)
    .then(
      () => null,
      (error: unknown) =>
        error instanceof StartupError
          ? toFailureReason(error)
          : `unexpected error ${getErrorCode(error)}.`,
    )
    .then((problem) => {
      const answer: BackupAnswer = { problem };
      process.send?.(answer, () => process.disconnect());
    });
});
// The server has ended. The next one removes what is unfinished.
process.on('disconnect', () => process.exit());
