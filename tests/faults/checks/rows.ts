// Checks that the tables match the clients: a log without gaps, one reaction per member and message.
import type { History, Stored } from '../history.ts';
import type { Violation } from './violation.ts';

export function checkRows(history: History): Violation[] {
  return history.stored.flatMap((stored) => [
    ...checkLog(stored),
    ...checkReactionRows(stored),
    ...history.lists
      .filter((list) => list.classId === stored.classId)
      .slice(0, 1)
      .flatMap((list): Violation[] => {
        const rows = stored.messages.map(({ seq, id }) => `${seq} ${id}`).join();
        const shown = list.messages.map(({ seq, id }) => `${seq} ${id}`).join();
        const reactions = list.messages.reduce(
          (n, one) => n + Object.keys(one.reactions).length,
          0,
        );
        const wrong: Violation[] = [];
        if (rows !== shown) {
          const detail = `${list.client} sees ${list.messages.length} messages, the table has ${stored.messages.length}`;
          wrong.push({ rule: 'rows', detail });
        }
        if (reactions !== stored.reactions.length) {
          const detail = `${list.client} counts ${reactions} reactions, the table has ${stored.reactions.length}`;
          wrong.push({ rule: 'rows', detail });
        }
        return wrong;
      }),
  ]);
}

/** The oldest entries may have been compacted. From there to the head the log has no gaps. */
function checkLog({ classId, head, log }: Stored): Violation[] {
  const at = log.findIndex((seq, i) => i > 0 && seq !== log[i - 1]! + 1);
  if (at > 0) {
    return [
      { rule: 'no gaps', detail: `the log of ${classId} has ${log[at]} after ${log[at - 1]}` },
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
  const shown = new Set(messages.map((message) => message.id));
  const seen = new Set<string>();
  return reactions.flatMap(({ messageId, memberId }): Violation[] => {
    const key = `${messageId} ${memberId}`;
    if (seen.has(key)) {
      return [{ rule: 'rows', detail: `${memberId} reacts twice to ${messageId}` }];
    }
    seen.add(key);
    if (shown.has(messageId)) return [];
    return [{ rule: 'rows', detail: `a reaction to ${messageId}, which does not exist` }];
  });
}
