import { sql, type CompiledQuery, type Selectable, type SelectQueryBuilder } from 'kysely';
import { defaultName } from '#contract/default-name.ts';
import type { Emoji } from '#contract/emojis.ts';
import type { Message, Persona, Poll, PollResult, Question, Quote } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { toQuoteText } from '#contract/spoilers.ts';
import { toImageCounts } from '#contract/pdf.ts';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';
import {
  planLimitOnce,
  planOnce,
  prepareQuery,
  prepareListQuery,
} from '#server/store/prepare-query.ts';
import { parseSentImages, toPictures } from '#server/chat/attachments/attachment-queries.ts';
import { listPersonas } from '#server/chat/members/personas-queries.ts';
import { listReactions, listReactionsBetween, type ReactionsBySeq } from './reactions-queries.ts';

export type MessageRow = Selectable<Tables['messages']>;

/** What the author of a poll chose. The names are stored. */
export interface StoredPoll {
  options: string[];
  several: boolean;
  resultsAfter: Poll['resultsAfter'];
}

const selectMessage = prepareQuery((db, $: { classId: string; id: string }) =>
  db.selectFrom('messages').selectAll().where('classId', '=', $.classId).where('id', '=', $.id),
);

/** Finds the row, even if the message was deleted. */
export async function findMessage(
  db: Database,
  classId: string,
  id: string,
): Promise<MessageRow | null> {
  return (await selectMessage(db, { classId, id }))[0] ?? null;
}

const insertRow = prepareQuery((db, $: MessageRow) =>
  db.insertInto('messages').values({
    classId: $.classId,
    seq: $.seq,
    ordinal: $.ordinal,
    id: $.id,
    memberId: $.memberId,
    text: $.text,
    images: $.images,
    digest: $.digest,
    createdAt: $.createdAt,
    editedAt: $.editedAt,
    replyTo: $.replyTo,
    deleted: $.deleted,
    votes: $.votes,
    poll: $.poll,
    pollClosesAt: $.pollClosesAt,
    topicId: $.topicId,
  }),
);

export async function insertMessage(db: DatabaseTransaction, row: MessageRow): Promise<void> {
  await insertRow(db, row);
}

export async function updateText(
  db: DatabaseTransaction,
  { classId, seq }: MessageRow,
  text: string,
  editedAt: number,
): Promise<void> {
  await db
    .updateTable('messages')
    .set({ text, editedAt, digest: '' })
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}

type MessageState = 'moderation' | 'votes' | 'answerId' | 'endorsedId' | 'done' | 'topicId';
type PollState = 'pollClosesAt' | 'pollTally';

/** Changes the state of a message, or how its text is stored, but not what the text says. */
export async function updateMessage(
  db: DatabaseTransaction,
  { classId, seq }: Pick<MessageRow, 'classId' | 'seq'>,
  change: Partial<Pick<MessageRow, 'text' | MessageState | PollState>>,
): Promise<void> {
  await db
    .updateTable('messages')
    .set(change)
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}

/**
 * Clears the content. The row keeps its seq, its id and its author.
 *
 * @param actor who removes the message; if a moderator does, the place of the message stays visible
 */
export async function emptyMessage(
  db: DatabaseTransaction,
  { classId, seq }: MessageRow,
  actor: 'author' | 'moderator',
): Promise<void> {
  await db
    .updateTable('messages')
    .set({
      text: '',
      images: null,
      digest: '',
      editedAt: null,
      replyTo: null,
      votes: null,
      answerId: null,
      endorsedId: null,
      poll: null,
      pollClosesAt: null,
      pollTally: null,
      done: 0,
      topicId: null,
      ...(actor === 'author'
        ? { deleted: 1, moderation: null }
        : { moderation: 'removed' as const }),
    })
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}

/** Lists the messages of the class with `from < seq <= to`, without deleted ones. */
export async function listMessagesBetween(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<MessageRow[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('classId', '=', classId)
    .where('seq', '>', from)
    .where('seq', '<=', to)
    .where('deleted', '=', 0)
    .orderBy('seq')
    .execute();
}

/** The columns that browsers need. */
const shownColumns = [
  'seq',
  'id',
  'memberId',
  'text',
  'images',
  'createdAt',
  'editedAt',
  'replyTo',
  'moderation',
  'votes',
  'answerId',
  'endorsedId',
  'poll',
  'pollClosesAt',
  'pollTally',
  'done',
  'topicId',
] as const;
type ShownRow = Pick<MessageRow, (typeof shownColumns)[number]>;

/** Prepares a query for all messages of a class that are not deleted, and one for those of a topic. */
function prepareTopicQuery<Params extends { classId: string }, Row>(
  build: (
    messages: SelectQueryBuilder<Tables, 'messages', object>,
    $: Params,
  ) => { compile(): CompiledQuery<Row> },
) {
  const prepare = (isOfTopic: boolean) =>
    prepareQuery((db, $: Params & { topicId: string }) =>
      build(
        db
          .selectFrom('messages')
          .where('classId', '=', planOnce($.classId))
          .where('deleted', '=', 0)
          .$if(isOfTopic, (query) => query.where('topicId', '=', planOnce($.topicId))),
        $,
      ),
    );
  const selectAll = prepare(false);
  const selectOfTopic = prepare(true);
  return (db: Database, params: Params, topicId: string | undefined) =>
    topicId === undefined
      ? selectAll(db, { ...params, topicId: '' })
      : selectOfTopic(db, { ...params, topicId });
}

const selectBefore = prepareTopicQuery<
  { classId: string; beforeSeq: number; limit: number },
  ShownRow
>((messages, $) =>
  messages
    .select(shownColumns)
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc')
    .limit(planLimitOnce($.limit)),
);

const selectFrom = prepareTopicQuery<{ classId: string; from: number; limit: number }, ShownRow>(
  (messages, $) =>
    messages
      .select(shownColumns)
      .where('seq', '>=', $.from)
      .orderBy('seq')
      .limit(planLimitOnce($.limit)),
);

const selectUnread = prepareQuery((db, $: UnreadRange & { scanned: number; limit: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select(['memberId', 'deleted', 'moderation'])
        .where('classId', '=', planOnce($.classId))
        .where('seq', '>', $.readSeq)
        .where('seq', '<=', $.head)
        .orderBy('seq', 'desc')
        .limit(planLimitOnce($.scanned))
        .as('newest'),
    )
    .select('deleted')
    .where('memberId', '<>', $.memberId)
    .where('deleted', '=', 0)
    .where((eb) => eb.or([eb('moderation', 'is', null), eb('moderation', '=', sql.lit('hidden'))]))
    .limit(planLimitOnce($.limit)),
);

const selectUnreadAuthors = prepareQuery((db, $: UnreadRange & { scanned: number }) =>
  db
    .selectFrom('messages')
    .select(['memberId', 'deleted', 'moderation', 'topicId'])
    .where('classId', '=', planOnce($.classId))
    .where('seq', '>', $.readSeq)
    .where('seq', '<=', $.head)
    .orderBy('seq', 'desc')
    .limit(planLimitOnce($.scanned)),
);

export interface UnreadRange {
  classId: string;
  /** The member's own messages are never unread. */
  memberId: string;
  readSeq: number;
  head: number;
}

export interface UnreadQuery extends UnreadRange {
  /** The member's staff persona, whose messages are the member's own; null if there is none. */
  staffId: string | null;
  /** Members whose messages do not count. */
  ignored: ReadonlySet<string>;
  /** Topics whose messages do not count. */
  mutedTopics: ReadonlySet<string>;
}

/** Bounds the work if a member reads nothing for long, and most messages of the class are deleted or the member's own. */
const maxScannedMessages = 1000; // WIRE-42

/** Counts the messages of other members with `readSeq < seq <= head`, without deleted and removed ones, up to a limit. */
export async function countUnread(db: Database, query: UnreadQuery): Promise<number> {
  if (query.readSeq >= query.head) return 0;
  if (query.ignored.size > 0 || query.mutedTopics.size > 0 || query.staffId !== null) {
    const readerIds = [query.memberId, query.staffId];
    const rows = await selectUnreadAuthors(db, { ...query, scanned: maxScannedMessages });
    const isCounted = ({ memberId, deleted, moderation, topicId }: (typeof rows)[number]) =>
      !deleted &&
      moderation !== 'removed' &&
      !readerIds.includes(memberId) &&
      !query.ignored.has(memberId) &&
      !(topicId !== null && query.mutedTopics.has(topicId));
    return Math.min(limits.maxUnreadCount, rows.filter(isCounted).length);
  }
  const bounds = { scanned: maxScannedMessages, limit: limits.maxUnreadCount };
  return (await selectUnread(db, { ...query, ...bounds })).length;
}

const selectPosts = prepareQuery((db, $: { classId: string; beforeSeq: number; limit: number }) =>
  db
    .selectFrom('messages')
    .select(['seq', 'memberId', 'createdAt'])
    .where('classId', '=', planOnce($.classId))
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc')
    .limit(planLimitOnce($.limit)),
);
const postsPerRead = 200;

/** Finds when the member last posted, at or after this time. Deleted messages count. */
export async function findLatestPost(
  db: Database,
  classId: string,
  memberId: string,
  startTime: number,
): Promise<number | null> {
  let beforeSeq = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const posts = await selectPosts(db, { classId, beforeSeq, limit: postsPerRead });
    const latestPost = posts.find((post) => post.memberId === memberId);
    if (latestPost) return latestPost.createdAt;
    const last = posts.at(-1);
    if (!last || posts.length < postsPerRead || last.createdAt < startTime) return null;
    beforeSeq = last.seq;
  }
}

/** Lists the oldest `limit` messages with `seq >= from`, oldest first. */
export async function listMessagesFrom(
  db: Database,
  classId: string,
  from: number,
  limit: number,
  topicId?: string,
): Promise<Message[]> {
  const rows = await selectFrom(db, { classId, from, limit }, topicId);
  return addPageDetails(db, classId, rows, topicId);
}

const selectNext = prepareTopicQuery<
  { classId: string; from: number },
  Pick<MessageRow, 'seq' | 'createdAt'>
>((messages, $) =>
  messages.select(['seq', 'createdAt']).where('seq', '>=', $.from).orderBy('seq').limit(1),
);

/** Finds the seq and the time of the first message with `seq >= from`. */
export async function findNextMessage(
  db: Database,
  classId: string,
  from: number,
  topicId?: string,
): Promise<Pick<MessageRow, 'seq' | 'createdAt'> | null> {
  return (await selectNext(db, { classId, from }, topicId))[0] ?? null;
}

const selectPrevious = prepareTopicQuery<
  { classId: string; beforeSeq: number },
  Pick<MessageRow, 'seq'>
>((messages, $) =>
  messages.select('seq').where('seq', '<', $.beforeSeq).orderBy('seq', 'desc').limit(1),
);

/** Tells whether a message with `seq < beforeSeq` exists. */
export async function hasMessageBefore(
  db: Database,
  classId: string,
  beforeSeq: number,
  topicId?: string,
): Promise<boolean> {
  return (await selectPrevious(db, { classId, beforeSeq }, topicId)).length > 0;
}

/** Lists the newest `limit` messages with `seq < beforeSeq`, oldest first. */
export async function listMessages(
  db: Database,
  classId: string,
  beforeSeq: number,
  limit: number,
  topicId?: string,
): Promise<Message[]> {
  const rows = await selectBefore(db, { classId, beforeSeq, limit }, topicId);
  return addPageDetails(db, classId, rows.toReversed(), topicId);
}

const selectByIds = prepareListQuery((db, $: { classId: string }, ids: string[]) =>
  db
    .selectFrom('messages')
    .select(shownColumns)
    // For `classId = ? and id in (...)`, SQLite would read the whole class.
    .where(
      sql<boolean>`("classId", id) in (values ${sql.join(ids.map((id) => sql`(${$.classId}, ${id})`))})`,
    )
    .where('deleted', '=', 0),
);

/** Lists the messages with these ids, without missing and deleted ones. */
export async function listMessagesById(
  db: Database,
  classId: string,
  ids: readonly string[],
): Promise<Message[]> {
  return addDetails(db, classId, await selectByIds(db, { classId }, ids));
}

const selectTexts = prepareTopicQuery<
  { classId: string; from: number; to: number },
  Pick<MessageRow, 'seq' | 'text'>
>((messages, $) =>
  messages
    .select(['seq', 'text'])
    .where('seq', '>=', $.from)
    .where('seq', '<=', $.to)
    .orderBy('seq', 'desc'),
);

/** The texts with `from <= seq <= to`, newest first, without deleted messages. */
export async function listTexts(
  db: Database,
  classId: string,
  from: number,
  to: number,
  topicId?: string,
): Promise<{ seq: number; text: string }[]> {
  return selectTexts(db, { classId, from, to }, topicId);
}

const selectBySeqs = prepareListQuery((db, $: { classId: string }, seqs: number[]) =>
  db
    .selectFrom('messages')
    .select(shownColumns)
    .where('classId', '=', $.classId)
    .where('seq', 'in', seqs)
    .where('deleted', '=', 0),
);

/** Lists the messages with these seqs, newest first, without missing and deleted ones. */
export async function listMessagesBySeq(
  db: Database,
  classId: string,
  seqs: readonly number[],
): Promise<Message[]> {
  const rows = await selectBySeqs(db, { classId }, seqs);
  return addDetails(
    db,
    classId,
    rows.toSorted((first, second) => second.seq - first.seq),
  );
}

/**
 * Adds the reactions and the quotes to messages in order. Without a topic they have no gaps, so one query for the range is faster
 * than `addDetails`.
 */
async function addPageDetails(
  db: Database,
  classId: string,
  rows: readonly ShownRow[],
  topicId: string | undefined,
): Promise<Message[]> {
  const first = rows[0];
  const last = rows.at(-1);
  if (!first || !last) return [];
  if (topicId !== undefined) return addDetails(db, classId, rows);
  return addQuotes(db, classId, rows, await listReactionsBetween(db, classId, first.seq, last.seq));
}

/** Adds the reactions and the quotes to any messages. */
async function addDetails(
  db: Database,
  classId: string,
  rows: readonly ShownRow[],
): Promise<Message[]> {
  const seqs = rows.map(({ seq }) => seq);
  return addQuotes(db, classId, rows, await listReactions(db, classId, seqs));
}

async function addQuotes(
  db: Database,
  classId: string,
  rows: readonly ShownRow[],
  reactions: ReactionsBySeq,
): Promise<Message[]> {
  const quotes = await listQuotes(db, classId, rows);
  return rows.map((row) =>
    toMessage(row, reactions.get(row.seq), quotes.get(row.replyTo ?? ''), toQuestion(row, quotes)),
  );
}

/** Maps the ids of the quoted messages, and of the answers to questions, to their quotes. */
async function listQuotes(
  db: Database,
  classId: string,
  rows: readonly ShownRow[],
): Promise<Map<string, Quote>> {
  const quotedIds = rows.flatMap(({ replyTo, answerId, endorsedId }) =>
    [replyTo, answerId, endorsedId].filter((id) => id !== null),
  );
  if (quotedIds.length === 0) return new Map();
  const quotedRows = await selectByIds(db, { classId }, quotedIds);
  const sources = quotedRows.filter(({ moderation }) => moderation !== 'removed');
  const authors = sources.map(({ memberId }) => memberId);
  const personas = new Map(
    (await listPersonas(db, classId, authors)).map((persona) => [persona.memberId, persona]),
  );
  return new Map(sources.map((row) => [row.id, toQuote(row, personas.get(row.memberId))]));
}

/** @param persona the author's persona; absent if it was deleted */
export function toQuote(
  { memberId, text, images, moderation }: ShownRow,
  persona?: Pick<Persona, 'anonymousName' | 'staff'>,
): Quote {
  const sentImages = parseSentImages(images);
  const author = {
    memberId,
    anonymousName: persona?.anonymousName ?? defaultName,
    ...(persona?.staff && { staff: persona.staff }),
  };
  const start = { ...author, text: toQuoteText(text), ...toImageCounts(sentImages) };
  return moderation === 'hidden' ? { ...start, hidden: true } : start;
}

/** Lists the quotes that the message shows: of the message that it replies to, and of its answers. */
export function listShownQuotes({ quote, question }: Message): Quote[] {
  return [quote, question?.answer?.quote, question?.endorsed?.quote].filter(
    (shownQuote) => shownQuote !== undefined && shownQuote !== null,
  );
}

/** @returns null if the message is no question */
function toQuestion(
  { votes, answerId, endorsedId, done }: ShownRow,
  quotes: ReadonlyMap<string, Quote>,
): Question | null {
  if (votes === null) return null;
  const toMarkedReply = (messageId: string | null) => {
    const quote = quotes.get(messageId ?? '');
    return messageId !== null && quote ? { messageId, quote } : null;
  };
  return {
    votes,
    answer: toMarkedReply(answerId),
    endorsed: toMarkedReply(endorsedId),
    ...(done === 1 && { done: true }),
  };
}

/** @param poll a `StoredPoll` as JSON */
export function toPoll(
  poll: string,
  { pollClosesAt, pollTally }: Pick<MessageRow, 'pollClosesAt' | 'pollTally'>,
): Poll {
  const isClosed = pollClosesAt === null;
  return {
    ...(JSON.parse(poll) as StoredPoll),
    closesAt: pollClosesAt,
    result: isClosed && pollTally !== null ? (JSON.parse(pollTally) as PollResult) : null,
  };
}

export function toMessage(
  row: ShownRow,
  reactions: Record<string, Emoji> = {},
  quote: Quote | null = null,
  question: Question | null | undefined = null,
): Message {
  return {
    id: row.id,
    seq: row.seq,
    memberId: row.memberId,
    text: row.text,
    ...toPictures(row.images),
    createdAt: row.createdAt,
    editedAt: row.editedAt,
    replyTo: row.replyTo,
    quote,
    reactions,
    moderation: row.moderation,
    ...(row.topicId !== null && { topicId: row.topicId }),
    ...(question && { question }),
    ...(row.poll !== null && { poll: toPoll(row.poll, row) }),
  };
}
