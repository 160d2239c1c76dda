// What the menu of a message offers about questions.
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { Message } from '#contract/entities.ts';
import { fetchMessagesById } from '#web/data/messages-by-id.ts';
import { findListedQuestion } from '#web/data/questions.ts';
import { type RoomQuestion, toRoomQuestion } from '#web/data/room-questions.ts';
import { getText } from '#web/get-text.ts';
import { isReadOnly, type Room, type RoomMessage, type RoomView } from '#web/sync/room/room.ts';
import type { MenuItem } from '#web/ui/menu.tsx';

const waitingText = getText('chat.answer.waiting');

/** A menu that opens later would surprise. */
const maxWaitMs = 1000;
/** A notice that comes later would surprise. */
const maxNoticeDelayMs = 10_000;

/** What the items of a message's menu depend on. */
export interface ItemContext {
  classId: string;
  room: Room;
  view: RoomView;
  message: RoomMessage;
  /** The viewer moderates the class. */
  mayModerate: boolean;
  offline: boolean;
  ended: boolean;
  notify: (notice: { text: string }) => void;
}

/** The question that the message is, or replies to. */
interface Target {
  id: string;
  memberId: string;
  question: RoomQuestion;
}

/**
 * The marks that the viewer may set or take back: on a question, or on a reply to one. Null while this browser reads a
 * question that it does not hold.
 */
export function useQuestionItems(context: ItemContext): MenuItem[] | null {
  const { classId, view, message, mayModerate, ended } = context;
  const heldMessage = findHeldMessage(context, useQueryClient());
  const { replyTo, quote } = message;
  // Most readers cannot mark an answer, and need no request.
  const mayMark = quote?.memberId === view.me || isStaff(view) || mayModerate;
  const query = useQuery({
    queryKey: ['class', classId, 'quoted', replyTo],
    queryFn: () => fetchQuoted(classId, replyTo ?? ''),
    enabled: !ended && !heldMessage && quote !== null && mayMark,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  if (ended) return [];
  if (query.isLoading) return null;
  const { id, memberId, question } = heldMessage ?? query.data ?? {};
  if (!id || !memberId || !question) return [];
  return listItems(context, { id, memberId, question: toRoomQuestion(id, question, view) });
}

/** The message itself if it is a question, or else the message that it replies to. */
function findHeldMessage(
  { classId, view, message }: ItemContext,
  client: QueryClient,
): RoomMessage | Message | undefined {
  const { question, replyTo } = message;
  if (question || replyTo === null) return message;
  return (
    view.messages.find(({ id }) => id === replyTo) ?? findListedQuestion(client, classId, replyTo)
  );
}

/** @returns null if the message is gone, or does not arrive in time */
async function fetchQuoted(classId: string, id: string): Promise<Message | null> {
  const messages = await Promise.race([
    fetchMessagesById(classId, [id]),
    new Promise<null>((resolve) => {
      setTimeout(() => resolve(null), maxWaitMs);
    }),
  ]);
  return messages?.get(id)?.message ?? null;
}

const isStaff = ({ staff }: RoomView): boolean => staff?.maySpeak === true;

function listItems(context: ItemContext, target: Target): MenuItem[] {
  const { view, message, mayModerate } = context;
  const { id: questionId, memberId, question } = target;
  const isAsker = memberId === view.me;
  const mayTakeBack = isAsker || isStaff(view) || mayModerate;
  // The server asks the persona of the question first: a muted asker can only take a mark back.
  const mayMark = isAsker ? view.sanction === null : mayTakeBack;
  const isReply = message.id !== questionId;
  const mark = (answerId: string | null, isEndorsed: boolean, text: string) => () =>
    markAnswer(context, { questionId, answerId, isEndorsed }, text);
  const isAnswer = question.answer?.messageId === message.id;
  const isEndorsed = question.endorsed?.messageId === message.id;
  const items: MenuItem[] = [];
  if (mayMark && isReply && !isAnswer && !isReadOnly(view)) {
    const action = mark(message.id, false, getText('chat.answer.markDone'));
    items.push({ icon: 'check', label: getText('chat.answer.mark'), action });
  }
  if (mayTakeBack && question.answer && (isAnswer || !isReply)) {
    const action = mark(null, false, getText('chat.answer.unmarkDone'));
    items.push({ icon: 'close', label: getText('chat.answer.unmark'), action });
  }
  if (isStaff(view) && isReply && !isEndorsed && !isReadOnly(view)) {
    const action = mark(message.id, true, getText('chat.answer.endorseDone'));
    items.push({ icon: 'shield', label: getText('chat.answer.endorse'), action });
  }
  if (isStaff(view) && question.endorsed && (isEndorsed || !isReply)) {
    const action = mark(null, true, getText('chat.answer.unendorseDone'));
    items.push({ icon: 'close', label: getText('chat.answer.unendorse'), action });
  }
  return items;
}

interface Mark {
  questionId: string;
  answerId: string | null;
  isEndorsed: boolean;
}

/** Marks the answer, and says so when the log has the mark. If the server rejects it, the room says why. */
function markAnswer({ room, offline, notify }: ItemContext, mark: Mark, text: string): void {
  const { questionId, answerId, isEndorsed } = mark;
  room.markAnswer(questionId, answerId, isEndorsed);
  if (offline) return notify({ text: waitingText });
  const stop = room.onMessageChanged((change) => {
    if (change.kind !== 'question' || change.messageId !== questionId) return;
    const { answer, endorsed } = change.question;
    const markedReply = isEndorsed ? endorsed : answer;
    if ((markedReply?.messageId ?? null) !== answerId) return;
    stop();
    notify({ text });
  });
  setTimeout(stop, maxNoticeDelayMs);
}
