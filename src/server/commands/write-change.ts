// Runs the changes of an operator's command, each in its own transaction, next to a server or without one.
import type { Kysely } from 'kysely';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import type { Config } from '#server/config/config-types.ts';
import { createLog } from '#server/base/log.ts';
import { GroupCommitQueue, type CommitQueue } from '#server/store/commit-queue.ts';
import type { Tables } from '#server/store/tables.ts';
import { openForCommand } from '#server/store/open-database.ts';
import type { Change } from '#server/store/changes.ts';

/**
 * No change of a server runs meanwhile.
 *
 * @param sentences messages that fit a command better than the error's own
 */
export async function writeChange<Result>(
  database: Config['database'],
  change: Change<Result>,
  sentences: Partial<Record<ErrorCode, string>> = {},
): Promise<Result> {
  return runOnDatabase(database, ({ commits }) => commits.write(change, 'everything'), sentences);
}

export interface OpenDatabase {
  db: Kysely<Tables>;
  commits: CommitQueue;
}

/** Opens the database for a command that reads, or that writes several changes. Servers learn of them from the database. */
export async function runOnDatabase<Result>(
  database: Config['database'],
  run: (database: OpenDatabase) => Promise<Result>,
  sentences: Partial<Record<ErrorCode, string>> = {},
): Promise<Result> {
  const log = createLog({ write: () => {} });
  await using db = await openForCommand(database, log);
  const commits = new GroupCommitQueue({ db, kind: database.kind, log });
  try {
    return await run({ db, commits });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new Error(sentences[error.code] ?? error.message, { cause: error });
  } finally {
    await commits.drain();
  }
}
