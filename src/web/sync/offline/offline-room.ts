// What this device keeps of one class: a smaller log replica, from which the room continues.
import type { Message, Question, Quote } from '#contract/entities.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import {
  endPageRequest,
  forgetDistant,
  type LogReplica,
  showNewest,
} from '#web/sync/engine/log-replica.ts';
import type { StorableRoom } from '#web/sync/room/room.ts';

/** The most messages of a class that a device keeps. */
const maxStoredMessages = 200; // OFFLINE-1

/** One class as this device had it from the server. */
export interface OfflineRoom extends StorableRoom {
  classId: string;
  /** The opaque key of the account. */
  account: string;
  /** The epoch of the server's history. The replica's epoch may differ: see `toOffline`. */
  epoch: string;
  keptAt: number;
}

/** No server has this history, so the next connection gets a snapshot. */
const noEpoch = '';

export function toOffline(room: StorableRoom): StorableRoom {
  const { replica } = room;
  const newest = forgetDistant(showNewest(endPageRequest(replica)), null, maxStoredMessages);
  const messages = newest.messages.map(removeHiddenContent);
  // Events would not bring the content back that is left out here.
  const isComplete = messages.every((message, n) => message === newest.messages[n]);
  const namedIds = new Set([
    replica.me,
    room.staff?.persona.memberId,
    ...messages.flatMap(listMemberIds),
  ]);
  const personas = new Map([...replica.personas].filter(([memberId]) => namedIds.has(memberId)));
  const epoch = isComplete ? newest.epoch : noEpoch;
  return { ...room, replica: { ...newest, epoch, messages, personas } };
}

/** Removes content that reports hid. A message that a moderator removed has no content. */
function removeHiddenContent(message: Message): Message {
  if (message.moderation === 'hidden') {
    const emptyContent = { text: '', imageUrl: null, storagePath: null, images: [], quote: null };
    const { question: _, poll: __, ...rest } = message;
    return { ...rest, ...emptyContent, reactions: {} };
  }
  if (!listQuotes(message).some(({ hidden, text }) => hidden && text !== '')) return message;
  const { quote, question } = message;
  return {
    ...message,
    quote: quote && removeHiddenText(quote),
    ...(question && {
      question: {
        ...question,
        answer: removeHiddenAnswer(question.answer),
        endorsed: removeHiddenAnswer(question.endorsed),
      },
    }),
  };
}

function removeHiddenText(quote: Quote): Quote {
  return quote.hidden ? { ...quote, text: '' } : quote;
}

function removeHiddenAnswer(answer: Question['answer']): Question['answer'] {
  return answer && { ...answer, quote: removeHiddenText(answer.quote) };
}

function listQuotes({ quote, question }: Message): Quote[] {
  return [quote, question?.answer?.quote, question?.endorsed?.quote].filter((item) => !!item);
}

function listMemberIds(message: Message): string[] {
  const { memberId, text, reactions } = message;
  const quoted = listQuotes(message).flatMap((quote) => [
    quote.memberId,
    ...listMentionedIds(quote.text),
  ]);
  return [memberId, ...listMentionedIds(text), ...quoted, ...Object.keys(reactions)];
}

/** Whether the room can be shown. An extension or a person may have changed what the browser stores. */
export function isOfflineRoom(value: unknown): value is OfflineRoom {
  if (!isRecord(value) || !isRecord(value['replica']) || !isRecord(value['preferences'])) {
    return false;
  }
  const { classId, account, keptAt, preferences, replica } = value;
  const { ignored, hidden } = preferences;
  const { seq, from, epoch, me, messages, personas, settings, window, request, readSeq } =
    replica as Partial<Record<keyof LogReplica, unknown>>;
  return (
    [classId, account, epoch, me].every(isText) &&
    [keptAt, seq, from, readSeq].every(isNumber) &&
    [ignored, hidden].every(Array.isArray) &&
    personas instanceof Map &&
    [...personas.values()].every(
      (persona: unknown) => isRecord(persona) && isText(persona['anonymousName']),
    ) &&
    isRecord(settings) &&
    [settings['pins'], settings['quietTimes'] ?? []].every(Array.isArray) &&
    window === null &&
    request === null &&
    Array.isArray(messages) &&
    messages.every(isMessage)
  );
}

function isMessage(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { id, seq, memberId, text, images, createdAt, reactions, quote, question, poll } = value;
  return (
    [id, memberId, text].every(isText) &&
    [seq, createdAt].every(isNumber) &&
    Array.isArray(images) &&
    isRecord(reactions) &&
    isQuoteOrNull(quote) &&
    (question === undefined || isQuestion(question)) &&
    (poll === undefined || isPoll(poll))
  );
}

function isQuoteOrNull(value: unknown): boolean {
  return value === null || (isRecord(value) && isText(value['text']));
}

function isQuestion(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { votes, answer, endorsed } = value;
  const isAnswer = (mark: unknown) =>
    mark === null || (isRecord(mark) && isRecord(mark['quote']) && isQuoteOrNull(mark['quote']));
  return isNumber(votes) && isAnswer(answer) && isAnswer(endorsed);
}

function isPoll(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { options, closesAt, result } = value;
  const isResult = result === null || (isRecord(result) && Array.isArray(result['counts']));
  return (
    isResult &&
    Array.isArray(options) &&
    options.every(isText) &&
    (closesAt === null || isNumber(closesAt))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

const isText = (value: unknown) => typeof value === 'string';
const isNumber = (value: unknown) => typeof value === 'number';
