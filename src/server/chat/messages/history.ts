import type { Message, Persona } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { AppError } from '#contract/errors.ts';
import { listMentionedIds } from '#contract/mentions.ts';
import type { Database } from '#server/store/tables.ts';
import {
  findMessage,
  findNextMessage,
  hasMessageBefore,
  listMessages,
  listMessagesFrom,
  listShownQuotes,
} from './messages-queries.ts';
import {
  listPictureMessages,
  type PictureMessage,
} from '#server/chat/attachments/attachment-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';

export interface HistoryPage {
  messages: Message[];
  /** The personas of the authors, of the members who reacted, and of mentioned members. */
  personas: Persona[];
  /** Whether older messages exist. */
  hasOlder: boolean;
  /** Whether newer messages exist. */
  hasNewer: boolean;
}

interface PageSize {
  limit: number;
  /** The maximum size of the messages with their personas as JSON. A page has at least one message. */
  maxBytes: number;
  /** Only messages of this topic. */
  topicId?: string | undefined;
}

/** The newest messages with `seq < beforeSeq`, oldest first. The caller checks membership. */
export async function getPageBefore(
  db: Database,
  classId: string,
  beforeSeq: number,
  size: PageSize,
): Promise<Omit<HistoryPage, 'hasNewer'>> {
  const candidates = await listMessages(db, classId, beforeSeq, size.limit + 1, size.topicId);
  const newestMessages = candidates.slice(-size.limit).toReversed();
  const { messages, personas } = await takePage(db, classId, newestMessages, size.maxBytes);
  return {
    messages: messages.toReversed(),
    personas,
    hasOlder: messages.length < candidates.length,
  };
}

/** The oldest messages with `seq >= from`, oldest first. */
async function getPageFrom(
  db: Database,
  classId: string,
  from: number,
  size: PageSize,
): Promise<Omit<HistoryPage, 'hasOlder'>> {
  const candidates = await listMessagesFrom(db, classId, from, size.limit + 1, size.topicId);
  const oldestMessages = candidates.slice(0, size.limit);
  const { messages, personas } = await takePage(db, classId, oldestMessages, size.maxBytes);
  return { messages, personas, hasNewer: messages.length < candidates.length };
}

/** Returns the page like `getPageBefore`, and whether newer messages exist. */
export async function getHistory(
  db: Database,
  classId: string,
  beforeSeq: number,
  size: PageSize,
): Promise<HistoryPage> {
  const page = await getPageBefore(db, classId, beforeSeq, size);
  const hasNewer =
    beforeSeq < Number.MAX_SAFE_INTEGER &&
    (await findNextMessage(db, classId, beforeSeq, size.topicId)) !== null;
  return { ...page, hasNewer };
}

/** The oldest messages with `seq >= from`, oldest first. The caller checks membership. */
export async function getHistoryFrom(
  db: Database,
  classId: string,
  from: number,
  size: PageSize,
): Promise<HistoryPage> {
  const page = await getPageFrom(db, classId, from, size);
  return { ...page, hasOlder: await hasMessageBefore(db, classId, from, size.topicId) };
}

/**
 * Gets the messages around one message, so that half of the page is older. The caller checks membership.
 *
 * @throws {AppError} NOT_FOUND if the message is missing or deleted
 */
export async function getHistoryAround(
  db: Database,
  classId: string,
  messageId: string,
  { limit, maxBytes, topicId }: PageSize,
): Promise<HistoryPage> {
  const center = await findMessage(db, classId, messageId);
  if (!center || center.deleted) throw new AppError('NOT_FOUND');
  const halfPage = { limit: Math.max(1, Math.floor(limit / 2)), maxBytes: maxBytes / 2, topicId };
  const older = await getPageBefore(db, classId, center.seq, halfPage);
  const newer = await getPageFrom(db, classId, center.seq, halfPage);
  const personas = new Map(
    [...older.personas, ...newer.personas].map((persona) => [persona.memberId, persona]),
  );
  return {
    messages: [...older.messages, ...newer.messages],
    personas: [...personas.values()],
    hasOlder: older.hasOlder,
    hasNewer: newer.hasNewer,
  };
}

/**
 * Finds the seq of the first message that is not older than `time`, or `head + 1`, by binary search: times grow with seqs.
 *
 * @param time in milliseconds since 1970
 */
export async function findSeqAtTime(
  db: Database,
  classId: string,
  head: number,
  time: number,
): Promise<number> {
  let low = 1;
  let high = head + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const message = await findNextMessage(db, classId, middle);
    if (!message) high = middle;
    else if (message.createdAt >= time) high = middle;
    else low = message.seq + 1;
  }
  return low;
}

/** Bounds the rows that one call reads. A class with few pictures takes several calls. */
const seqsPerPicturePage = 2048;
const picturesPerPage = 50;

/**
 * The newest messages with pictures or PDFs and `seq < beforeSeq`, newest first. The caller checks membership.
 *
 * @param beforeSeq at most `head + 1`
 */
export async function getPicturePage(
  db: Database,
  classId: string,
  beforeSeq: number,
): Promise<{ messages: Omit<PictureMessage, 'seq'>[]; nextBefore: number | null }> {
  const from = Math.max(1, beforeSeq - seqsPerPicturePage);
  const candidates = await listPictureMessages(
    db,
    { classId, from, before: beforeSeq },
    picturesPerPage,
  );
  let pictureCount = 0;
  const messages = candidates.filter(({ images }) => {
    const isShown = pictureCount < picturesPerPage;
    pictureCount += images.length;
    return isShown;
  });
  const isWhole = pictureCount < picturesPerPage;
  const end = isWhole ? from : (messages.at(-1)?.seq ?? from);
  return {
    messages: messages.map(({ id, memberId, createdAt, images }) => {
      return { id, memberId, createdAt, images };
    }),
    nextBefore: end > 1 ? end : null,
  };
}

/** The first messages that fit into `maxBytes`, but at least one. The caller checks membership. */
export async function takePage(
  db: Database,
  classId: string,
  candidates: readonly Message[],
  maxBytes: number,
): Promise<{ messages: Message[]; personas: Persona[] }> {
  const personas = await listPersonas(db, classId, candidates.flatMap(toPersonaIds));
  if (countMaxMessageBytes(candidates) + countMaxPersonaBytes(personas) <= maxBytes) {
    return { messages: [...candidates], personas };
  }
  const personasById = new Map(personas.map((persona) => [persona.memberId, persona]));
  return cutToFit(candidates, personasById, maxBytes);
}

/** Keeps as many of the first messages as fit, and their personas. */
function cutToFit(
  candidates: readonly Message[],
  personasById: ReadonlyMap<string, Persona>,
  maxBytes: number,
): { messages: Message[]; personas: Persona[] } {
  const personas = new Map<string, Persona>();
  const messages: Message[] = [];
  let bytes = 0;
  for (const message of candidates) {
    const newPersonas = toPersonaIds(message).flatMap((memberId) => {
      const persona = personas.has(memberId) ? undefined : personasById.get(memberId);
      return persona ? [persona] : [];
    });
    bytes +=
      countJsonBytes(message) +
      newPersonas.reduce((sum, persona) => sum + countJsonBytes(persona), 0);
    if (bytes > maxBytes && messages.length > 0) break;
    messages.push(message);
    for (const persona of newPersonas) personas.set(persona.memberId, persona);
  }
  return { messages, personas: [...personas.values()] };
}

/**
 * Lists the memberIds of the personas that the message needs: of the author, of members who reacted, of mentioned members, and of
 * the authors of its quotes.
 */
export function toPersonaIds(message: Message): string[] {
  const { memberId, reactions } = message;
  return [memberId, ...Object.keys(reactions), ...listShownMentions(message)];
}

/** Lists the members whom the message and its quotes mention, and the authors of the quotes. */
export function listShownMentions(message: Message): string[] {
  const quotedIds = listShownQuotes(message).flatMap(({ memberId, text }) => {
    return [memberId, ...listMentionedIds(text)];
  });
  return [...listMentionedIds(message.text), ...quotedIds];
}

/** The size of a value as JSON, including a comma. */
export function countJsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value)) + 1;
}

/** Takes the first items that fit into a reply with questions. */
export function takeFitting<Item>(items: readonly Item[]): Item[] {
  let bytes = 0;
  const end = items.findIndex((item) => {
    bytes += countJsonBytes(item);
    return bytes > limits.listedQuestionsBytes;
  });
  return items.slice(0, end === -1 ? items.length : end);
}

/**
 * The largest sizes of the parts of the JSON that are not text: names of fields, ids, numbers, and a reaction with its memberId.
 */
const fixedBytes = { message: 352, persona: 112, reaction: 64 };
/** The most bytes of an escaped character. Texts have no control characters except tabs and line breaks. */
const maxEscape = 2;

/** An upper bound of `countJsonBytes`, which takes ten times as long. Most pages are far below the limit. */
export function countMaxMessageBytes(messages: readonly Message[]): number {
  let bytes = 0;
  for (const message of messages) {
    if (message.quote || message.question || message.poll || message.images.length > 0) {
      bytes += countJsonBytes(message);
    } else {
      bytes += fixedBytes.message + maxEscape * Buffer.byteLength(message.text);
      bytes += fixedBytes.reaction * Object.keys(message.reactions).length;
    }
  }
  return bytes;
}

export function countMaxPersonaBytes(personas: readonly Persona[]): number {
  let bytes = 0;
  for (const { anonymousName, icon } of personas) {
    bytes += fixedBytes.persona + maxEscape * Buffer.byteLength(anonymousName + icon);
  }
  return bytes;
}
