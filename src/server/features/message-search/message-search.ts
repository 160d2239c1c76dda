// Searches the messages of one class, newest first. The index finds candidates, and the texts decide.
import type { Message, Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { Database } from '#server/store/tables.ts';
import {
  listTexts,
  listTextsBySeq,
  listEntriesByBucket,
  type SearchedText,
} from '#server/chat/messages/message-words-queries.ts';
import { listMessagesBySeq } from '#server/chat/messages/messages-queries.ts';
import { takePage } from '#server/chat/messages/history.ts';
import {
  findMarks,
  hasMissingPhrase,
  parseQuery,
  toQueryTerms,
  type Mark,
} from '#server/chat/messages/message-matches.ts';
import { createTurns } from '#server/base/turns.ts';
import {
  blockLength,
  toBlock,
  toBucket,
  findPositions,
  toFirstSeq,
} from '#server/chat/messages/word-index.ts';

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
  { query, beforeSeq, limit, maxBytes }: SearchRequest,
): Promise<SearchPage> {
  const phrases = parseQuery(query);
  if (phrases.length === 0) {
    throw new AppError('INVALID', 'Please enter a word or a number to search for.');
  }
  const budget: Budget = { left: maxCostOfCall, takeTurn: createTurns() };
  const collector = new HitCollector(phrases, limit, budget);
  let end = Math.min(beforeSeq, head + 1);
  const terms = toQueryTerms(phrases);
  for await (const { from, batches } of listCandidates(db, classId, terms, end, budget)) {
    end = (await collector.collect(batches)) ?? from;
    if (collector.isDone) break;
  }
  const { hits } = collector;
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
    const current = hit?.text === text ? hit.marks : findMarks(text, phrases);
    if (current) marks.set(seq, current.slice(0, limits.marksPerHit));
    await budget.takeTurn();
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

/** What one call may still cost. Work is counted, not timed, so that a page does not depend on the machine's load. */
interface Budget {
  left: number;
  takeTurn(): Promise<void>;
}

/**
 * The costs are in bytes of text that are split into words. Everything else costs a part of that. The whole takes about
 * 50 ms; a longer search takes several calls.
 */
const maxCostOfCall = 64 * 1024;
const costOfText = 16;
const checkedBytesPerCost = 16;
const indexCharactersPerCost = 64;

interface FoundText extends SearchedText {
  marks: Mark[];
}

/** Collects the texts that match, newest first, until there are more than `limit` or the budget is used up. */
class HitCollector {
  readonly hits: FoundText[] = [];
  readonly #phrases: ReturnType<typeof parseQuery>;
  readonly #limit: number;
  readonly #budget: Budget;

  constructor(phrases: ReturnType<typeof parseQuery>, limit: number, budget: Budget) {
    this.#phrases = phrases;
    this.#limit = limit;
    this.#budget = budget;
  }

  get isDone(): boolean {
    return this.hits.length > this.#limit || this.#budget.left <= 0;
  }

  /** @returns the seq of the text at which it was done, or null after the last text */
  async collect(batches: AsyncIterable<SearchedText[]>): Promise<number | null> {
    for await (const texts of batches) {
      for (const text of texts) {
        this.#match(text);
        if (this.isDone) return text.seq;
        await this.#budget.takeTurn();
      }
    }
    return null;
  }

  #match({ seq, text }: SearchedText): void {
    const bytes = Buffer.byteLength(text);
    this.#budget.left -= costOfText + bytes / checkedBytesPerCost;
    if (hasMissingPhrase(text, this.#phrases)) return;
    this.#budget.left -= bytes;
    const marks = findMarks(text, this.#phrases);
    if (marks) this.hits.push({ seq, text, marks });
  }
}

/** The blocks whose rows are read together. */
const blocksPerRead = 8;
/** The texts that one query reads: long ones take it a millisecond. */
const textsPerRead = 64;
/** A candidate that the index found is nearly always a hit. */
const candidatesPerRead = 32;

interface Block {
  /** The first seq of the block. */
  from: number;
  /** The candidates of the block, newest first. */
  batches: AsyncIterable<SearchedText[]>;
}

/** The blocks below `end` that have candidates, and the blocks that are not indexed, newest first. */
async function* listCandidates(
  db: Database,
  classId: string,
  terms: readonly string[],
  end: number,
  budget: Budget,
): AsyncGenerator<Block> {
  const wantedBuckets = [...new Set(terms.map(toBucket))];
  for (let last = toBlock(end - 1); last >= 0; last -= blocksPerRead) {
    const first = Math.max(0, last - blocksPerRead + 1);
    const buckets = await listEntriesByBucket(db, classId, wantedBuckets, {
      from: first,
      to: last,
    });
    for (let block = last; block >= first; block--) {
      await budget.takeTurn();
      const from = toFirstSeq(block);
      const to = Math.min(toFirstSeq(block + 1), end) - 1;
      const entries = terms.map((term) => buckets.get(toBucket(term))?.get(block));
      if (entries.includes(undefined)) {
        yield { from, batches: streamRange(db, classId, from, to) };
        continue;
      }
      for (const row of entries) budget.left -= (row?.length ?? 0) / indexCharactersPerCost;
      const seqs = listMatchingPositions(terms, entries)
        .map((offset) => from + offset)
        .filter((seq) => seq <= to);
      if (seqs.length > 0 || budget.left <= 0) {
        yield { from, batches: streamBySeq(db, classId, seqs.toReversed()) };
      }
    }
  }
  // The search has reached the first message.
  yield { from: 0, batches: streamBySeq(db, classId, []) };
}

/** @returns the positions of the messages that have every term, in ascending order */
function listMatchingPositions(
  terms: readonly string[],
  entries: readonly (string | undefined)[],
): number[] {
  const termsFound = new Uint8Array(blockLength);
  for (const [n, term] of terms.entries()) {
    let isFound = false;
    findPositions(entries[n] ?? '', term, (offset) => {
      if (termsFound[offset] !== n) return;
      termsFound[offset] = n + 1;
      isFound = true;
    });
    if (!isFound) return [];
  }
  const positions: number[] = [];
  for (const [offset, count] of termsFound.entries()) {
    if (count === terms.length) positions.push(offset);
  }
  return positions;
}

async function* streamRange(
  db: Database,
  classId: string,
  from: number,
  to: number,
): AsyncGenerator<SearchedText[]> {
  for (let end = to; end >= from; end -= textsPerRead) {
    yield listTexts(db, classId, Math.max(from, end - textsPerRead + 1), end);
  }
}

async function* streamBySeq(
  db: Database,
  classId: string,
  seqs: readonly number[],
): AsyncGenerator<SearchedText[]> {
  for (let done = 0; done < seqs.length; done += candidatesPerRead) {
    yield listTextsBySeq(db, classId, seqs.slice(done, done + candidatesPerRead));
  }
}
