// What the menu of a message offers about questions.
import type { QueryClient } from '@tanstack/react-query';
import { findListedQuestion } from '#web/data/questions.ts';
import { type RoomQuestion, toRoomQuestion } from '#web/data/room-questions.ts';
import { isReadOnly, type Room, type RoomMessage, type RoomView } from '#web/sync/room/room.ts';
import type { MenuItem } from '#web/ui/menu.tsx';

interface Options {
  client: QueryClient;
  classId: string;
  room: Room;
  view: RoomView;
  message: RoomMessage;
  /** The viewer moderates the class. */
  mayModerate: boolean;
  notify: (notice: { text: string }) => void;
}

interface Target {
  id: string;
  memberId: string;
  question: RoomQuestion;
}

/** The marks that the viewer may set or take back: on a question, or on a reply to one. */
export function listQuestionItems(options: Options): MenuItem[] {
  const { room, view, message, mayModerate, notify } = options;
  const target = findTarget(options);
  if (!target) return [];
  const { id: questionId, memberId, question } = target;
  const isStaff = view.staff?.maySpeak === true;
  const mayMark = memberId === view.me || isStaff || mayModerate;
  const isReply = message.id !== questionId;
  const mark = (answerId: string | null, isEndorsed: boolean, text: string) => () => {
    room.markAnswer(questionId, answerId, isEndorsed);
    notify({ text });
  };
  const isAnswer = question.answer?.messageId === message.id;
  const isEndorsed = question.endorsed?.messageId === message.id;
  const items: MenuItem[] = [];
  if (mayMark && isReply && !isAnswer && !isReadOnly(view)) {
    const action = mark(message.id, false, 'Marked as the answer.');
    items.push({ icon: 'check', label: 'Mark as answer', action });
  }
  if (mayMark && question.answer && (isAnswer || !isReply)) {
    const action = mark(null, false, 'The answer mark is gone.');
    items.push({ icon: 'close', label: 'Take back the answer mark', action });
  }
  if (isStaff && isReply && !isEndorsed && !isReadOnly(view)) {
    const action = mark(message.id, true, 'Answer endorsed.');
    items.push({ icon: 'shield', label: 'Endorse as staff', action });
  }
  if (isStaff && question.endorsed && (isEndorsed || !isReply)) {
    const action = mark(null, true, 'The endorsement is gone.');
    items.push({ icon: 'close', label: 'Take back the endorsement', action });
  }
  return items;
}

/** The question that the message is or replies to. */
function findTarget({ client, classId, view, message }: Options): Target | null {
  const { id, memberId, question, replyTo } = message;
  if (question) return { id, memberId, question: toRoomQuestion(id, question, view) };
  if (replyTo === null) return null;
  const questionMessage =
    view.messages.find((candidate) => candidate.id === replyTo) ??
    findListedQuestion(client, classId, replyTo);
  if (!questionMessage?.question) return null;
  return { ...questionMessage, question: toRoomQuestion(replyTo, questionMessage.question, view) };
}
