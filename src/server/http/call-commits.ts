// How a signed-in call commits. Its session can end, or its account be suspended, between the check at its start and the
// commit: a password check or a long queue can lie in between. So can its role end.
import type { Scope } from '#server/store/commit-locks.ts';
import type { Commits } from '#server/store/commit-queue.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

/** Only `createRoute` makes one. A commit queue is none: its private fields make the type differ. */
export class CallCommits implements Commits {
  readonly #queue: Commits;
  readonly #callerId: string;
  readonly #checkCaller: (unitOfWork: UnitOfWork) => Promise<string>;

  constructor(
    queue: Commits,
    callerId: string,
    checkCaller: (unitOfWork: UnitOfWork) => Promise<string>,
  ) {
    this.#queue = queue;
    this.#callerId = callerId;
    this.#checkCaller = checkCaller;
  }

  /**
   * @param change gets the caller's name in the audit log, which is empty if the right to the call does not come from a role
   * @throws {AppError} UNAUTHENTICATED, SUSPENDED, NOT_ALLOWED, and those of the queue
   */
  write<Result>(
    change: (unitOfWork: UnitOfWork, staffName: string) => Promise<Result>,
    scope: Scope,
    group?: string,
  ): Promise<Result> {
    return this.#queue.write(
      async (unitOfWork) => change(unitOfWork, await this.#checkCaller(unitOfWork)),
      addCaller(scope, this.#callerId),
      group,
    );
  }
}

function addCaller(scope: Scope, callerId: string): Scope {
  if (scope === 'everything' || scope === 'allAccounts') return scope;
  return scope === 'independent' ? { callerId } : { ...scope, callerId };
}
