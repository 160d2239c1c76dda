// The word index of a class. Each block of 1024 log entries has one row per bucket of terms, and a row lists the
// messages of each term. A block without rows is not indexed yet, and a search reads its messages instead.
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database, DatabaseTransaction } from '../storage/database.ts';
import { inChunks } from '../storage/queries/authored-content.ts';
import { findClass } from '../storage/queries/classes.ts';
import {
  insertWords,
  listTexts,
  listWordsOfBlock,
  updateWords,
} from '../storage/queries/message-words.ts';
import { indexTermsOf } from './message-matches.ts';

export const blockLength = 1024;
const bucketCount = 16;
const allBuckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);
/** Texts per turn of the event loop: one or two milliseconds. */
const textsPerTurn = 128;

export function blockOf(seq: number): number {
  return Math.floor(seq / blockLength);
}

export function firstSeqOf(block: number): number {
  return block * blockLength;
}

/** All terms with the same first character are in one bucket, so a search reads one bucket per word. */
export function bucketOf(term: string): number {
  return term.charCodeAt(0) % bucketCount;
}

/** A message's position in its block as two characters. The characters of the two digits differ. */
function encode(seq: number): string {
  const offset = seq % blockLength;
  return String.fromCharCode(48 + (offset >> 5), 80 + (offset & 31));
}

/** A line of a row: a term, a tab, and the encoded positions of its messages. Each line ends with a newline. */
function lineOf(term: string, positions: string): string {
  return `${term}\t${positions}\n`;
}

/**
 * Calls `found` with the position of each message that has a term with this prefix. A message with several such
 * terms is found several times.
 */
export function findPositions(
  entries: string,
  prefix: string,
  found: (offset: number) => void,
): void {
  const sought = `\n${prefix}`;
  for (let at = entries.indexOf(sought); at >= 0; at = entries.indexOf(sought, at + 1)) {
    const end = entries.indexOf('\n', at + 1);
    for (let n = entries.indexOf('\t', at) + 1; n < end; n += 2) {
      found(((entries.charCodeAt(n) - 48) << 5) | (entries.charCodeAt(n + 1) - 80));
    }
  }
}

interface Text {
  seq: number;
  text: string;
}

/**
 * Indexes one complete block.
 *
 * @returns whether the block is done; false if a message changed meanwhile
 */
export async function indexBlock(
  db: Database,
  write: CommitQueue['write'],
  classId: string,
  block: number,
): Promise<boolean> {
  const [from, to] = [firstSeqOf(block), firstSeqOf(block + 1) - 1];
  const texts = await listTexts(db, classId, from, to);
  const rows = await rowsOf(texts);
  return write(async (unitOfWork) => {
    // A deleted class is being erased: a new row would outlive its messages.
    if (!(await findClass(unitOfWork.db, classId))) return true;
    const now = await listTexts(unitOfWork.db, classId, from, to);
    if (now.length !== texts.length || now.some((one, n) => !isSame(one, texts[n]))) return false;
    await insertWords(
      unitOfWork.db,
      rows.map((entries, bucket) => ({ classId, bucket, block, entries })),
    );
    return true;
  }, classId);
}

const isSame = (one: Text, other: Text | undefined) =>
  one.seq === other?.seq && one.text === other.text;

/** @returns the entries of each bucket */
async function rowsOf(texts: readonly Text[]): Promise<string[]> {
  const positions = new Map<string, string>();
  for await (const piece of inChunks(texts.toReversed(), textsPerTurn)) {
    for (const { seq, text } of piece) {
      for (const term of indexTermsOf(text)) {
        positions.set(term, (positions.get(term) ?? '') + encode(seq));
      }
    }
  }
  const rows = allBuckets.map(() => '\n');
  for (const term of [...positions.keys()].toSorted()) {
    rows[bucketOf(term)] += lineOf(term, positions.get(term) ?? '');
  }
  return rows;
}

/**
 * Replaces the indexed text of one message in the transaction that changes the message. So no erased word stays in
 * the index.
 *
 * @param text the new text; empty if the message was deleted
 */
export async function replaceIndexedText(
  db: DatabaseTransaction,
  { classId, seq }: { classId: string; seq: number },
  text: string,
): Promise<void> {
  const rows = await listWordsOfBlock(db, classId, blockOf(seq), allBuckets);
  if (rows.length === 0) return;
  const terms = [...indexTermsOf(text)];
  for (const { bucket, entries } of rows) {
    const added = terms.filter((term) => bucketOf(term) === bucket);
    const replaced = withTerms(withoutMessage(entries, encode(seq)), encode(seq), added);
    if (replaced === entries) continue;
    await updateWords(db, { classId, bucket, block: blockOf(seq), entries: replaced });
  }
}

/** Removes the message from every term. A term without messages is removed too. */
function withoutMessage(entries: string, position: string): string {
  return entries
    .split('\n')
    .map((line) => {
      const at = line.indexOf(position, line.indexOf('\t') + 1);
      if (at < 0) return line;
      const others = line.slice(0, at) + line.slice(at + position.length);
      return others.endsWith('\t') ? null : others;
    })
    .filter((line) => line !== null)
    .join('\n');
}

function withTerms(entries: string, position: string, terms: readonly string[]): string {
  if (terms.length === 0) return entries;
  const lines = new Map(
    entries
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => [line.slice(0, line.indexOf('\t')), line.slice(line.indexOf('\t') + 1)]),
  );
  for (const term of terms) {
    const positions = (lines.get(term) ?? '').match(/../g) ?? [];
    // In the order of the log: another order would show when the message was edited.
    lines.set(term, [...positions, position].toSorted().join(''));
  }
  return `\n${[...lines.keys()]
    .toSorted()
    .map((term) => lineOf(term, lines.get(term) ?? ''))
    .join('')}`;
}
