// Checks that all clients have the same list, in the order of seqs, in time.
import type { FinalList, History } from '../history.ts';
import type { Violation } from './violation.ts';

export const equalWithinMs = 10_000;

export function checkLists({ lists }: History): Violation[] {
  return [...Map.groupBy(lists, (list) => list.classId).values()].flatMap((ofClass) => {
    const [first, ...others] = ofClass;
    if (!first) return [];
    return [
      ...ofClass.flatMap(inOrder),
      ...others.flatMap((list) => sameAs(first, list)),
      ...ofClass.flatMap(inTime),
    ];
  });
}

function inOrder({ client, messages }: FinalList): Violation[] {
  const at = messages.findIndex((message, i) => i > 0 && message.seq <= messages[i - 1]!.seq);
  if (at < 0) return [];
  const detail = `${client}'s list has ${messages[at]!.seq} after ${messages[at - 1]!.seq}`;
  return [{ rule: 'same for all clients', detail }];
}

function sameAs(first: FinalList, list: FinalList): Violation[] {
  const length = Math.max(first.messages.length, list.messages.length);
  for (let i = 0; i < length; i++) {
    const one = first.messages[i];
    const other = list.messages[i];
    if (one && other && canonical(one) === canonical(other)) continue;
    const detail = `at place ${i} ${first.client} has ${canonical(one)}, ${list.client} ${canonical(other)}`;
    return [{ rule: 'same for all clients', detail }];
  }
  return [];
}

/** The order of a map's entries does not matter. */
function canonical(message: FinalList['messages'][number] | undefined): string {
  if (!message) return 'nothing';
  const { id, seq, memberId, text, reactions } = message;
  const sorted = Object.entries(reactions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([seq, id, memberId, text.slice(0, 60), sorted]);
}

function inTime({ client, equalAfterMs }: FinalList): Violation[] {
  if (equalAfterMs !== null && equalAfterMs <= equalWithinMs) return [];
  const took = equalAfterMs === null ? 'did not have enough time' : `took ${equalAfterMs} ms`;
  const detail = `after reconnecting, ${client} ${took} to match the server`;
  return [{ rule: 'equal in time', detail }];
}
