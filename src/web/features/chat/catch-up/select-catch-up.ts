import type { Message } from '#contract/entities.ts';
import { isAnswered } from '#web/data/questions.ts';
import { applyToAll } from '#web/sync/engine/log-replica.ts';
import {
  isOwnPersona,
  type MessageChange,
  type RoomMessage,
  type RoomView,
} from '#web/sync/room/room.ts';
import type { UnreadRange } from '../messages/new-messages-line.tsx';

const longAbsenceMs = 24 * 60 * 60 * 1000; // CATCH-1
const manyUnreadCount = 50; // CATCH-1
const maxLinesPerGroup = 3; // CATCH-2

export type CatchUpGroup = 'answered' | 'unanswered' | 'pinned' | 'staff';

/** A message that the card names. */
export interface CatchUpLine {
  group: CatchUpGroup;
  message: Message;
}

/** Whether the member comes back after a day, or to more than fifty unread messages. */
export function isLongAbsence(
  { afterSeq, count }: Pick<UnreadRange, 'afterSeq' | 'count'>,
  messages: readonly Pick<RoomMessage, 'seq' | 'createdAt'>[],
  now: number,
): boolean {
  const newestRead = messages.findLast(({ seq }) => seq !== null && seq <= afterSeq);
  const isAfterDay = newestRead !== undefined && now - newestRead.createdAt >= longAbsenceMs;
  return isAfterDay || count > manyUnreadCount;
}

type View = Pick<RoomView, 'messages' | 'personas' | 'preferences' | 'settings' | 'me' | 'staff'>;

/**
 * Selects what happened after `afterSeq`, as far as the browser knows it.
 *
 * @param questions the listed questions of the class, newest first
 */
export function selectCatchUp(
  view: View,
  questions: readonly Message[],
  afterSeq: number,
): CatchUpLine[] {
  const newMessages = view.messages.flatMap(toSentMessage).filter(({ seq }) => seq > afterSeq);
  const newIds = new Set(newMessages.map(({ id }) => id));
  const isMine = ({ memberId }: Message) => isOwnPersona(view, memberId);
  const isPinned = ({ id }: Message) => view.settings.pins.includes(id);
  const isNewlyAnswered = ({ seq, question }: Message) => {
    const replyIds = [question?.answer?.messageId, question?.endorsed?.messageId];
    return seq > afterSeq || replyIds.some((id) => id !== undefined && newIds.has(id));
  };
  const byVotes = questions.toSorted(compareVotes);
  const newestFirst = newMessages.toReversed();
  const candidates: Readonly<Record<CatchUpGroup, readonly Message[]>> = {
    // The member's own questions come first.
    answered: byVotes
      .filter(isNewlyAnswered)
      .toSorted((a, b) => Number(isMine(b)) - Number(isMine(a))),
    unanswered: byVotes
      .filter((message) => !isMine(message))
      .filter(({ seq, question }) => seq > afterSeq || (question?.votes ?? 0) > 0),
    pinned: newestFirst.filter(isPinned),
    staff: newestFirst
      .filter((message) => view.personas.get(message.memberId)?.staff && !isMine(message))
      .filter(({ replyTo, question }) => replyTo === null && question === undefined),
  };
  const lines: CatchUpLine[] = [];
  for (const group of ['answered', 'unanswered', 'pinned', 'staff'] as const) {
    const newLines = candidates[group]
      .filter(({ id }) => !lines.some(({ message }) => message.id === id))
      .map((message) => ({ group, message }))
      .filter((line) => isCurrent(line, view));
    lines.push(...newLines.slice(0, maxLinesPerGroup));
  }
  return lines;
}

/** Whether the line still holds, and the member wants to see its message. */
export function isCurrent(
  { group, message }: CatchUpLine,
  { preferences }: Pick<RoomView, 'preferences'>,
): boolean {
  const { id, memberId, moderation, question, topicId } = message;
  if (moderation !== null || preferences.ignored.has(memberId) || preferences.hidden.has(id)) {
    return false;
  }
  if (preferences.mutedTopics?.has(topicId ?? '')) return false;
  if (group === 'answered') return question !== undefined && isAnswered(question);
  if (group === 'unanswered') return question !== undefined && !isAnswered(question);
  return true;
}

/** Applies a change of a message to the lines. After a gap, any of them may be deleted, so none remains. */
export function changeCatchUp(
  lines: readonly CatchUpLine[],
  change: MessageChange,
): readonly CatchUpLine[] {
  if (change.kind === 'unknown') return [];
  if (!('messageId' in change)) return lines;
  return lines.flatMap((line) =>
    applyToAll([line.message], change).map((message) => ({ ...line, message })),
  );
}

function compareVotes(a: Message, b: Message): number {
  return (b.question?.votes ?? 0) - (a.question?.votes ?? 0);
}

/** @returns nothing if the log does not have the message yet */
function toSentMessage({ seq, question, poll: _poll, ...message }: RoomMessage): Message[] {
  return seq === null ? [] : [{ ...message, seq, ...(question && { question }) }];
}
