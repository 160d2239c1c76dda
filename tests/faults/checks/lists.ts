// Checks that all clients have the same list, in the order of seqs, in time.
import type { FinalList, History } from '../history.ts';
import type { Violation } from './violation.ts';

export const equalWithinMs = 10_000;

export function checkLists({ lists }: History): Violation[] {
  return [...Map.groupBy(lists, (list) => list.classId).values()].flatMap((ofClass) => {
    const [first, ...otherLists] = ofClass;
    if (!first) return [];
    return [
      ...ofClass.flatMap(checkOrder),
      ...otherLists.flatMap((list) => compareLists(first, list)),
      ...ofClass.flatMap(checkTimes),
    ];
  });
}

function checkOrder({ client, messages }: FinalList): Violation[] {
  const index = messages.findIndex((message, i) => i > 0 && message.seq <= messages[i - 1]!.seq);
  if (index < 0) return [];
  const detail = `${client}'s list has ${messages[index]!.seq} after ${messages[index - 1]!.seq}`;
  return [{ rule: 'same for all clients', detail }];
}

function compareLists(first: FinalList, list: FinalList): Violation[] {
  const length = Math.max(first.messages.length, list.messages.length);
  for (let i = 0; i < length; i++) {
    const message = first.messages[i];
    const otherMessage = list.messages[i];
    if (message && otherMessage && serializeMessage(message) === serializeMessage(otherMessage)) {
      continue;
    }
    const detail = `at place ${i} ${first.client} has ${serializeMessage(message)}, ${list.client} ${serializeMessage(otherMessage)}`;
    return [{ rule: 'same for all clients', detail }];
  }
  return [];
}

/** The order of a map's entries does not matter. */
function serializeMessage(message: FinalList['messages'][number] | undefined): string {
  if (!message) return 'nothing';
  const { id, seq, memberId, text, reactions } = message;
  const sortedReactions = Object.entries(reactions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([seq, id, memberId, text.slice(0, 60), sortedReactions]);
}

function checkTimes({ client, equalAfterMs }: FinalList): Violation[] {
  if (equalAfterMs !== null && equalAfterMs <= equalWithinMs) return [];
  const took = equalAfterMs === null ? 'did not have enough time' : `took ${equalAfterMs} ms`;
  const detail = `after reconnecting, ${client} ${took} to match the server`;
  return [{ rule: 'equal in time', detail }];
}
