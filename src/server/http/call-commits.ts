// How a signed-in call commits. Its session can end, or its account be suspended, between the check at its start and the
// commit: a password check or a long queue can lie in between.
import type { Scope } from '#server/store/commit-locks.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import type { Change } from '#server/store/changes.ts';

/** Only `createRoute` makes one. A commit queue is none: its private fields make the type differ. */
export class CallCommits implements Commits {
  readonly #queue: Commits;
  readonly #callerId: string;
  readonly #checkCaller: (db: DatabaseTransaction) => Promise<void>;

  constructor(
    queue: Commits,
    callerId: string,
    checkCaller: (db: DatabaseTransaction) => Promise<void>,
  ) {
    this.#queue = queue;
    this.#callerId = callerId;
    this.#checkCaller = checkCaller;
  }

  /** @throws {AppError} UNAUTHENTICATED, SUSPENDED, and those of the queue */
  write<Result>(change: Change<Result>, scope: Scope): Promise<Result> {
    return this.#queue.write(
      async (unitOfWork) => {
        await this.#checkCaller(unitOfWork.db);
        return change(unitOfWork);
      },
      addCaller(scope, this.#callerId),
    );
  }
}

function addCaller(scope: Scope, callerId: string): Scope {
  if (scope === 'everything' || scope === 'allAccounts') return scope;
  return scope === 'independent' ? { callerId } : { ...scope, callerId };
}
