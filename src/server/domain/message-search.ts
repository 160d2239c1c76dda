// Searches the messages of one class, newest first. The index finds candidates, and the texts decide.
import type { Message, Persona } from '#contract/entities.ts';
import { AppError } from '#contract/errors.ts';
import type { Database } from '../storage/database.ts';
import { inChunks } from '../storage/queries/authored-content.ts';
import {
  listTexts,
  listTextsBySeq,
  readBuckets,
  type SearchedText,
} from '../storage/queries/message-words.ts';
import { listMessagesBySeq } from '../storage/queries/messages.ts';
import { takePage } from './history.ts';
import { findMarks, parseQuery, queryTermsOf, type Mark } from './message-matches.ts';
import { blockLength, blockOf, bucketOf, findPositions, firstSeqOf } from './word-index.ts';

export interface SearchPage {
  hits: { message: Message; marks: Mark[] }[];
  /** The personas of the authors, of the members who reacted, and of mentioned members. */
  personas: Persona[];
  /** The `before` of the next page. Null if the search has reached the first message. */
  nextBefore: number | null;
}

export interface SearchRequest {
  query: string;
  /** Selects messages with a smaller seq. */
  before: number;
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
  { query, before, limit, maxBytes }: SearchRequest,
): Promise<SearchPage> {
  const phrases = parseQuery(query);
  if (phrases.length === 0) {
    throw new AppError('INVALID', 'Please enter a word or a number to search for.');
  }
  const matches = ({ text }: { text: string }) => findMarks(text, phrases) !== null;
  const found: SearchedText[] = [];
  let end = Math.min(before, head + 1);
  let textsRead = 0;
  for await (const { from, batches } of candidates(db, classId, queryTermsOf(phrases), end)) {
    for await (const texts of batches) {
      textsRead += texts.length;
      found.push(...texts.filter(matches));
      if (found.length > limit) break;
    }
    end = from;
    if (found.length > limit || textsRead >= maxTextsPerCall) break;
  }
  const seqs = found.slice(0, limit).map(({ seq }) => seq);
  // A message may have been edited or deleted since its text was read.
  const newestFirst = (await listMessagesBySeq(db, classId, seqs)).filter(matches);
  const page = await takePage(db, classId, newestFirst, maxBytes);
  const cutAt = page.messages.length < newestFirst.length ? page.messages.at(-1)?.seq : undefined;
  const fullAt = found.length > limit ? found[limit - 1]?.seq : undefined;
  return {
    hits: page.messages.map((message) => ({
      message,
      marks: findMarks(message.text, phrases) ?? [],
    })),
    personas: page.personas,
    nextBefore: cutAt ?? fullAt ?? (end > 1 ? end : null),
  };
}

/** Bounds the work of one call. A search of blocks that are not indexed yet takes several calls. */
const maxTextsPerCall = 8192;
/** The blocks whose rows are read together. A common word fills the page in the first ones. */
const blocksPerRead = { first: 4, max: 64 };
/** Indexed blocks per turn of the event loop: at most a few milliseconds for a long query. */
const blocksPerTurn = 8;
/** Texts per turn of the event loop. A candidate that the index found is nearly always a hit. */
const textsPerTurn = 128;
const candidatesPerTurn = 32;

interface Block {
  /** The first seq of the block. */
  from: number;
  /** The candidates of the block, newest first. */
  batches: AsyncIterable<SearchedText[]>;
}

/** The blocks below `end` that have candidates, and the blocks that are not indexed, newest first. */
async function* candidates(
  db: Database,
  classId: string,
  terms: readonly string[],
  end: number,
): AsyncGenerator<Block> {
  let last = blockOf(end - 1);
  for (let count = blocksPerRead.first; last >= 0; count = blocksPerRead.max) {
    const first = Math.max(0, last - count + 1);
    const wanted = [...new Set(terms.map(bucketOf))];
    const buckets = await readBuckets(db, classId, wanted, { from: first, to: last });
    const newestFirst = Array.from({ length: last - first + 1 }, (_, n) => last - n);
    for await (const blocks of inChunks(newestFirst, blocksPerTurn)) {
      for (const block of blocks) {
        const from = firstSeqOf(block);
        const to = Math.min(firstSeqOf(block + 1), end) - 1;
        const entries = terms.map((term) => buckets.get(bucketOf(term))?.get(block));
        if (entries.includes(undefined)) {
          yield { from, batches: readRange(db, classId, from, to) };
          continue;
        }
        const seqs = positionsOf(terms, entries)
          .map((offset) => from + offset)
          .filter((seq) => seq <= to);
        if (seqs.length > 0) yield { from, batches: readBySeq(db, classId, seqs.toReversed()) };
      }
    }
    last = first - 1;
  }
  // The search has reached the first message.
  yield { from: 0, batches: readBySeq(db, classId, []) };
}

/** @returns the positions of the messages that have every term, in ascending order */
function positionsOf(terms: readonly string[], entries: readonly (string | undefined)[]): number[] {
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

async function* readRange(
  db: Database,
  classId: string,
  from: number,
  to: number,
): AsyncGenerator<SearchedText[]> {
  const ends = [];
  for (let end = to; end >= from; end -= textsPerTurn) ends.push(end);
  for await (const [end = to] of inChunks(ends, 1)) {
    yield listTexts(db, classId, Math.max(from, end - textsPerTurn + 1), end);
  }
}

async function* readBySeq(
  db: Database,
  classId: string,
  seqs: readonly number[],
): AsyncGenerator<SearchedText[]> {
  for await (const chunk of inChunks(seqs, candidatesPerTurn)) {
    yield listTextsBySeq(db, classId, chunk);
  }
}
