// Searches the messages of one class, newest first, by reading their texts.
import type { Message, Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { findMarks, hasMissingTerm, parseQuery, type Mark } from '#contract/message-matches.ts';
import type { Database } from '#server/store/tables.ts';
import { listMessagesBySeq, listTexts } from '#server/chat/messages/messages-queries.ts';
import { takePage } from '#server/chat/messages/history.ts';
import { createTurns } from '#server/base/turns.ts';

export interface SearchPage {
  hits: { message: Message; marks: Mark[] }[];
  /** The personas of the authors, of the members who reacted, and of mentioned members. */
  personas: Persona[];
  /** The `beforeSeq` of the next page. Null if the search has reached the first message. */
  nextBefore: number | null;
}

export interface SearchRequest {
  query: string;
  /** Selects messages with a smaller seq. */
  beforeSeq: number;
  limit: number;
  maxBytes: number;
  /** Only messages of this topic. */
  topicId?: string | undefined;
}

/**
 * The caller checks membership. A page can have fewer hits than `limit`, or none, and still have a next page.
 *
 * @throws {AppError} INVALID if the query has no word
 */
export async function searchMessages(
  db: Database,
  classId: string,
  head: number,
  { query, beforeSeq, limit, maxBytes, topicId }: SearchRequest,
): Promise<SearchPage> {
  const terms = parseQuery(query);
  if (terms.length === 0) {
    throw new AppError('QUERY_EMPTY');
  }
  const takeTurn = createTurns();
  const hits: FoundText[] = [];
  const work = { cost: 0 };
  const isDone = () => hits.length > limit || work.cost >= maxCostOfCall;
  let entryCount = minEntriesPerRead;
  let end = Math.min(beforeSeq, head + 1);
  while (end > 1 && !isDone()) {
    const from = Math.max(1, end - entryCount);
    const texts = await listTexts(db, classId, from, end - 1, topicId);
    await takeTurn();
    end = from;
    work.cost += costOfRead;
    let characterCount = 0;
    for (const { seq, text } of texts) {
      characterCount += text.length;
      work.cost += costOfText;
      if (!hasMissingTerm(text, terms, work)) {
        const marks = findMarks(text, terms, work);
        if (marks) hits.push({ seq, text, marks });
      }
      await takeTurn();
      if (isDone()) {
        end = seq;
        break;
      }
    }
    entryCount =
      characterCount > charactersPerRead
        ? minEntriesPerRead
        : Math.min(2 * entryCount, maxEntriesPerRead);
  }
  const shownHits = hits.slice(0, limit);
  const messages = await listMessagesBySeq(
    db,
    classId,
    shownHits.map(({ seq }) => seq),
  );
  const read = new Map(shownHits.map((hit) => [hit.seq, hit]));
  const marks = new Map<number, Mark[]>();
  for (const { seq, text } of messages) {
    const hit = read.get(seq);
    // A message may have been edited or deleted since its text was read.
    const current = hit?.text === text ? hit.marks : findMarks(text, terms);
    if (current) marks.set(seq, current.slice(0, limits.marksPerHit));
    await takeTurn();
  }
  const newestFirst = messages.filter(({ seq }) => marks.has(seq));
  const page = await takePage(db, classId, newestFirst, maxBytes);
  const cutAt = page.messages.length < newestFirst.length ? page.messages.at(-1)?.seq : undefined;
  const fullAt = hits.length > limit ? hits[limit - 1]?.seq : undefined;
  return {
    hits: page.messages.map((message) => ({ message, marks: marks.get(message.seq) ?? [] })),
    personas: page.personas,
    nextBefore: cutAt ?? fullAt ?? (end > 1 ? end : null),
  };
}

/**
 * The most that a call may cost: it reads 20,000 messages of 70 characters. One unit is the time to fold a character for the
 * comparison. Work is counted, not timed, so that a page does not depend on the machine's load.
 */
const maxCostOfCall = 600_000;
const costOfRead = 200;
const costOfText = 15;

interface FoundText {
  seq: number;
  text: string;
  marks: Mark[];
}

/** The entries of the log that one query reads. A thousand long texts would take it too long. */
const minEntriesPerRead = 64;
const maxEntriesPerRead = 1024;
const charactersPerRead = 128 * 1024;
