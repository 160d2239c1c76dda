import type { History, Operation } from './history.ts';

/**
 * `acknowledged`: it has happened. `refused`: it has not. `unknown`: nobody could say, so both are right.
 */
export type Outcome = 'acknowledged' | 'refused' | 'unknown';

export function outcomeOf({ answers }: Operation): Outcome {
  if (answers.some((answer) => answer.kind === 'acknowledged')) return 'acknowledged';
  // A try without an answer may have been done before the next one was refused for good.
  const doubt = answers.some((answer) => answer.kind === 'unknown');
  const refused = answers.some((answer) => answer.kind === 'refused' || answer.kind === 'later');
  return refused && !doubt ? 'refused' : 'unknown';
}

/** When the client learned what came of it; never, as long as it does not know. */
export function doneAt({ answers }: Operation): number {
  const last = answers.at(-1);
  return !last || last.kind === 'unknown' ? Infinity : last.at;
}

/**
 * The operations with what they still mean after the database was put back: an acknowledgement of
 * something newer than the restored state is void, and so is the operation if nothing else is known.
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
          ({ at, heads }) => answer.at < at && answer.seq > (heads[operation.classId] ?? Infinity),
        ),
    );
    const voided = valid.length < operation.answers.length;
    const acknowledged = valid.some((answer) => answer.kind === 'acknowledged');
    // A change that is sent again and finds itself made is acknowledged with the log's head of then,
    // which does not tell on which side of the backup it was made. A post keeps its first seq.
    const inDoubt = operation.kind !== 'post' && valid.some((answer) => answer.kind === 'unknown');
    if (voided && !acknowledged && !inDoubt) undone.push(operation);
    else standing.push({ ...operation, answers: valid });
  }
  return { standing, undone };
}
