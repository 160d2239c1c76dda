import type { History, Operation } from './history.ts';

/**
 * Acknowledged: the change happened. Rejected: the change did not happen. Unknown: no answer arrived, so the change may or may not
 * have happened.
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

/** Gets the time at which the client learned the outcome, or Infinity if the outcome is unknown. */
export function getDoneTime({ answers }: Operation): number {
  const last = answers.at(-1);
  return !last || last.kind === 'unknown' ? Infinity : last.time;
}

/**
 * Splits the operations into those that survived the restores of the database and those that a restore undid. The
 * acknowledgement of a change that is newer than the backup is void. If no other answer shows that the operation
 * happened, the restore undid it.
 */
export function splitByRestore({ operations, restores }: History): {
  survivingOperations: Operation[];
  undoneOperations: Operation[];
} {
  const survivingOperations: Operation[] = [];
  const undoneOperations: Operation[] = [];
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
    if (voided && !acknowledged && !mayHaveHappened) undoneOperations.push(operation);
    else survivingOperations.push({ ...operation, answers: valid });
  }
  return { survivingOperations, undoneOperations };
}
