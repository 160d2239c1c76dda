// Checks edits, deletions and reactions: the last change determines the message. If two changes overlap in time, either order is
// valid. A change whose outcome is unknown may be missing.
import type { FinalList, History, ReplicaMessage, Operation } from '../history.ts';
import { getDoneTime, toOutcome, splitByRestore } from '../outcome.ts';
import type { Violation } from './violation.ts';

export function checkChanges(history: History): Violation[] {
  const { survivingOperations } = splitByRestore(history);
  const possibleChanges = survivingOperations.filter(
    (operation) => toOutcome(operation) !== 'rejected',
  );
  const byMessage = Map.groupBy(
    possibleChanges,
    (operation) => `${operation.classId} ${operation.messageId}`,
  );
  return history.lists.flatMap((list) =>
    list.messages.flatMap((message) => {
      const changes = byMessage.get(`${list.classId} ${message.id}`) ?? [];
      return [
        ...checkDeleted(list, message, changes),
        ...checkText(list, message, changes),
        ...checkReactions(list, message, changes),
      ];
    }),
  );
}

function checkDeleted(list: FinalList, message: ReplicaMessage, changes: Operation[]): Violation[] {
  const isDeleted = changes.some(
    (change) => change.kind === 'delete' && toOutcome(change) === 'acknowledged',
  );
  if (!isDeleted) return [];
  return [
    { rule: 'latest change', detail: `${message.id} is deleted, and in ${list.client}'s list` },
  ];
}

function checkText(list: FinalList, message: ReplicaMessage, changes: Operation[]): Violation[] {
  const texts = changes.filter((change) => change.kind === 'post' || change.kind === 'edit');
  const last = listNotReplaced(texts).map((change) => change.text);
  if (last.length === 0 || last.includes(message.text)) return [];
  const detail = `${message.id} in ${list.client}'s list reads "${message.text.slice(0, 40)}"`;
  return [{ rule: 'latest change', detail }];
}

function checkReactions(
  list: FinalList,
  message: ReplicaMessage,
  changes: Operation[],
): Violation[] {
  const reactions = changes.filter((change) => change.kind === 'react');
  const byMember = Map.groupBy(reactions, (change) => change.memberId);
  const members = new Set([...byMember.keys(), ...Object.keys(message.reactions)]);
  return [...members].flatMap((memberId): Violation[] => {
    const memberChanges = byMember.get(memberId) ?? [];
    const last = listNotReplaced(memberChanges);
    const possible: (string | null)[] = last.map((change) => change.emoji);
    // If no change surely happened, the state before the first one is also possible.
    if (!last.some((change) => toOutcome(change) === 'acknowledged')) possible.push(null);
    const shownEmoji = message.reactions[memberId] ?? null;
    if (possible.includes(shownEmoji)) return [];
    const detail = `${list.client} sees ${shownEmoji} of ${memberId} on ${message.id}, not ${possible.join(' or ')}`;
    return [{ rule: 'latest change', detail }];
  });
}

/** Lists the changes that no acknowledged change has certainly replaced. */
function listNotReplaced<Change extends Operation>(changes: Change[]): Change[] {
  return changes.filter(
    (change) =>
      !changes.some(
        (other) => toOutcome(other) === 'acknowledged' && other.invokedAt >= getDoneTime(change),
      ),
  );
}
