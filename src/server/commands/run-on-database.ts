// Opens the database for an operator's command, next to a server or without one.
import type { Kysely } from 'kysely';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import type { Config } from '#server/config/config-types.ts';
import { createLog } from '#server/base/log.ts';
import {
  GroupCommitQueue,
  type CommitQueue,
  type CommitQueueOptions,
} from '#server/store/commit-queue.ts';
import type { Site } from '#server/store/site.ts';
import type { Tables } from '#server/store/tables.ts';
import { openForCommand } from '#server/store/open-database.ts';

export interface OpenDatabase {
  db: Kysely<Tables>;
  commits: CommitQueue;
  /** Gives the later changes of `commits` the server key. */
  setSite(site: Site): void;
}

/**
 * Servers learn of the changes from the database.
 *
 * @param sentences messages that fit a command better than the error's own
 */
export async function runOnDatabase<Result>(
  database: Config['database'],
  run: (database: OpenDatabase) => Promise<Result>,
  sentences: Partial<Record<ErrorCode, string>> = {},
): Promise<Result> {
  const log = createLog({ write: () => {} });
  await using db = await openForCommand(database, log);
  const options: CommitQueueOptions = { db, kind: database.kind, log };
  const commits = new GroupCommitQueue(options);
  try {
    return await run({
      db,
      commits,
      setSite(site) {
        options.site = site;
      },
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new Error(sentences[error.code] ?? error.message, { cause: error });
  } finally {
    await commits.drain();
  }
}
