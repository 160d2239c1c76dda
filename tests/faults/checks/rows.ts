// Checks that the tables match the clients: a log without gaps, one reaction per member and message.
import type { History, Stored } from '../history.ts';
import type { Violation } from './violation.ts';

export function checkRows(history: History): Violation[] {
  return history.stored.flatMap((storedClass) => [
    ...checkLog(storedClass),
    ...checkReactionRows(storedClass),
    ...history.lists
      .filter((list) => list.classId === storedClass.classId)
      .slice(0, 1)
      .flatMap((list): Violation[] => {
        const rows = storedClass.messages.map(({ seq, id }) => `${seq} ${id}`).join();
        const shownRows = list.messages.map(({ seq, id }) => `${seq} ${id}`).join();
        const reactions = list.messages.reduce(
          (n, message) => n + Object.keys(message.reactions).length,
          0,
        );
        const violations: Violation[] = [];
        if (rows !== shownRows) {
          const detail = `${list.client} sees ${list.messages.length} messages, the table has ${storedClass.messages.length}`;
          violations.push({ rule: 'rows', detail });
        }
        if (reactions !== storedClass.reactions.length) {
          const detail = `${list.client} counts ${reactions} reactions, the table has ${storedClass.reactions.length}`;
          violations.push({ rule: 'rows', detail });
        }
        return violations;
      }),
  ]);
}

/** Checks that the log has no gaps up to its head. It may begin later, because the oldest entries may have been compacted. */
function checkLog({ classId, head, log }: Stored): Violation[] {
  const gapIndex = log.findIndex((seq, i) => i > 0 && seq !== log[i - 1]! + 1);
  if (gapIndex > 0) {
    return [
      {
        rule: 'no gaps',
        detail: `the log of ${classId} has ${log[gapIndex]} after ${log[gapIndex - 1]}`,
      },
    ];
  }
  if ((log.at(-1) ?? 0) !== head) {
    return [
      { rule: 'no gaps', detail: `the log of ${classId} ends at ${log.at(-1)}, not ${head}` },
    ];
  }
  return [];
}

function checkReactionRows({ reactions, messages }: Stored): Violation[] {
  const shownIds = new Set(messages.map((message) => message.id));
  const seenKeys = new Set<string>();
  return reactions.flatMap(({ messageId, memberId }): Violation[] => {
    const key = `${messageId} ${memberId}`;
    if (seenKeys.has(key)) {
      return [{ rule: 'rows', detail: `${memberId} reacts twice to ${messageId}` }];
    }
    seenKeys.add(key);
    if (shownIds.has(messageId)) return [];
    return [{ rule: 'rows', detail: `a reaction to ${messageId}, which does not exist` }];
  });
}
