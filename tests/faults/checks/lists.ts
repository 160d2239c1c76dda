// Checks that all clients have the same list, in the order of seqs, and that they had it in time.
import type { FinalList, History } from '../history.ts';
import type { Violation } from './violation.ts';

export const equalWithinMs = 10_000;

export function checkLists({ lists }: History): Violation[] {
  return [...Map.groupBy(lists, (list) => list.classId).values()].flatMap((listsOfClass) => {
    const [firstList, ...otherLists] = listsOfClass;
    if (!firstList) return [];
    return [
      ...listsOfClass.flatMap(checkOrder),
      ...otherLists.flatMap((list) => compareLists(firstList, list)),
      ...listsOfClass.flatMap(checkTimes),
    ];
  });
}

function checkOrder({ client, messages }: FinalList): Violation[] {
  const index = messages.findIndex((message, i) => i > 0 && message.seq <= messages[i - 1]!.seq);
  if (index < 0) return [];
  const detail = `${client}'s list has ${messages[index]!.seq} after ${messages[index - 1]!.seq}`;
  return [{ rule: 'same for all clients', detail }];
}

function compareLists(firstList: FinalList, list: FinalList): Violation[] {
  const length = Math.max(firstList.messages.length, list.messages.length);
  for (let i = 0; i < length; i++) {
    const message = firstList.messages[i];
    const otherMessage = list.messages[i];
    if (message && otherMessage && serializeMessage(message) === serializeMessage(otherMessage)) {
      continue;
    }
    const detail = `at place ${i} ${firstList.client} has ${serializeMessage(message)}, ${list.client} ${serializeMessage(otherMessage)}`;
    return [{ rule: 'same for all clients', detail }];
  }
  return [];
}

/** Serializes a message for a comparison in which the order of its reactions does not matter. */
function serializeMessage(message: FinalList['messages'][number] | undefined): string {
  if (!message) return 'nothing';
  const { id, seq, memberId, text, reactions } = message;
  const sortedReactions = Object.entries(reactions).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([seq, id, memberId, text.slice(0, 60), sortedReactions]);
}

function checkTimes({ client, equalAfterMs }: FinalList): Violation[] {
  if (equalAfterMs !== null && equalAfterMs <= equalWithinMs) return [];
  const outcome = equalAfterMs === null ? 'did not have enough time' : `took ${equalAfterMs} ms`;
  const detail = `after reconnecting, ${client} ${outcome} to match the server`;
  return [{ rule: 'equal in time', detail }];
}
