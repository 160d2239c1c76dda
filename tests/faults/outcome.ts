import type { History, Operation } from './history.ts';

/**
 * `acknowledged`: it happened. `refused`: it did not. `unknown`: no answer arrived, so either is valid.
 */
export type Outcome = 'acknowledged' | 'rejected' | 'unknown';

export function toOutcome({ answers }: Operation): Outcome {
  if (answers.some((answer) => answer.kind === 'acknowledged')) return 'acknowledged';
  // An attempt without an answer may have succeeded before the next one was rejected permanently.
  const hasUnknownAttempt = answers.some((answer) => answer.kind === 'unknown');
  const isRejected = answers.some(
    (answer) => answer.kind === 'rejected' || answer.kind === 'later',
  );
  return isRejected && !hasUnknownAttempt ? 'rejected' : 'unknown';
}

/** When the client learned the outcome; Infinity while it is unknown. */
export function getDoneTime({ answers }: Operation): number {
  const last = answers.at(-1);
  return !last || last.kind === 'unknown' ? Infinity : last.time;
}

/**
 * Splits the operations by whether they survived a restore of the database. An acknowledgement of something
 * newer than the restored state is void, and so is the operation if nothing else is known.
 */
export function sortByRestore({ operations, restores }: History): {
  standing: Operation[];
  undone: Operation[];
} {
  const standing: Operation[] = [];
  const undone: Operation[] = [];
  for (const operation of operations) {
    const valid = operation.answers.filter(
      (answer) =>
        answer.kind !== 'acknowledged' ||
        !restores.some(
          ({ time: restoreTime, heads }) =>
            answer.time < restoreTime && answer.seq > (heads[operation.classId] ?? Infinity),
        ),
    );
    const voided = valid.length < operation.answers.length;
    const acknowledged = valid.some((answer) => answer.kind === 'acknowledged');
    // A repeated change that was already made is acknowledged with the log's current head, so the
    // acknowledgement does not show whether it preceded the backup. A post keeps its first seq.
    const mayHaveHappened =
      operation.kind !== 'post' && valid.some((answer) => answer.kind === 'unknown');
    if (voided && !acknowledged && !mayHaveHappened) undone.push(operation);
    else standing.push({ ...operation, answers: valid });
  }
  return { standing, undone };
}
