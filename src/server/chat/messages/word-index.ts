// The word index of a class. Each block of 1024 log entries has one row per bucket of terms, and a row lists the
// messages of each term. A block without rows is not indexed yet, and a search reads its messages instead.
import type { Commits } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { findHead } from './authored-content-queries.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import { deleteWordsOfBlock, hasChanged, insertWords, listTexts } from './message-words-queries.ts';
import { createTurns } from '#server/base/turns.ts';
import { toIndexTerms } from './message-matches.ts';

export const blockLength = 1024;
const bucketCount = 16;
const allBuckets = Array.from({ length: bucketCount }, (_, bucket) => bucket);

export function toBlock(seq: number): number {
  return Math.floor(seq / blockLength);
}

export function toFirstSeq(block: number): number {
  return block * blockLength;
}

/** All terms with the same first character are in one bucket, so a search reads one bucket per word. */
export function toBucket(term: string): number {
  return term.charCodeAt(0) % bucketCount;
}

/** A message's position in its block as two characters. The characters of the two digits differ. */
function encode(seq: number): string {
  const offset = seq % blockLength;
  return String.fromCharCode(48 + (offset >> 5), 80 + (offset & 31));
}

/** A line of a row: a term, a tab, and the encoded positions of its messages. Each line ends with a newline. */
function toLine(term: string, positions: string): string {
  return `${term}\t${positions}\n`;
}

/** More terms than a long message of ordinary words has. */
const maxTermsOfMessage = 200;
/** Bounds what a change of one message erases: the length of all rows of a block. Ordinary messages need a fifth. */
const maxLengthOfBlock = 256 * 1024;

/** The line of the messages whose words are not indexed, which each row has. Every search reads their texts. */
const unindexed = '';

/**
 * Calls `onFound` with the position of each message that may have a term with this prefix. A message with several such
 * terms is found several times.
 */
export function findPositions(
  entries: string,
  prefix: string,
  onFound: (offset: number) => void,
): void {
  for (const sought of [`\n${prefix}`, `\n${unindexed}\t`]) {
    for (
      let position = entries.indexOf(sought);
      position >= 0;
      position = entries.indexOf(sought, position + 1)
    ) {
      const end = entries.indexOf('\n', position + 1);
      for (let n = entries.indexOf('\t', position) + 1; n < end; n += 2) {
        onFound(((entries.charCodeAt(n) - 48) << 5) | (entries.charCodeAt(n + 1) - 80));
      }
    }
  }
}

/** The log keeps more entries than this. */
const maxEntriesMeanwhile = 1000;

/** The messages that one query reads: long ones take it a millisecond. */
const textsPerRead = 64;

/**
 * Indexes one complete block, in turns of the event loop.
 *
 * @returns whether the block is done; false if a message changed meanwhile
 */
export async function indexBlock(
  db: Database,
  commits: Commits,
  classId: string,
  block: number,
): Promise<boolean> {
  const from = toFirstSeq(block);
  const to = toFirstSeq(block + 1) - 1;
  const head = await findHead(db, classId);
  const rows = await createRows(db, classId, from, to);
  return commits.write(
    async (unitOfWork) => {
      // A deleted class is being erased: a new row would outlive its messages.
      if (!(await findClass(unitOfWork.db, classId))) return true;
      // Each change of a text is in the log. The texts themselves would take too long to compare in a commit.
      const isLogComplete = (await findHead(unitOfWork.db, classId)) - head < maxEntriesMeanwhile;
      if (!isLogComplete || (await hasChanged(unitOfWork.db, { classId, from, to, head }))) {
        return false;
      }
      await insertWords(
        unitOfWork.db,
        rows.map((entries, bucket) => ({ classId, bucket, block, entries })),
      );
      return true;
    },
    { classId },
  );
}

/** @returns the entries of each bucket; they depend only on the texts and on their positions */
async function createRows(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<string[]> {
  const takeTurn = createTurns();
  const positions = new Map<string, string>();
  let skipped = '';
  let length = 0;
  for (let first = from; first <= to; first += textsPerRead) {
    const texts = await listTexts(db, classId, first, Math.min(first + textsPerRead - 1, to));
    for (const { seq, text } of texts.toReversed()) {
      await takeTurn();
      const terms = toIndexTerms(text);
      const addedLength = sumLengths(terms, positions);
      if (terms.size > maxTermsOfMessage || length + addedLength > maxLengthOfBlock) {
        skipped += encode(seq);
        continue;
      }
      length += addedLength;
      for (const term of terms) positions.set(term, (positions.get(term) ?? '') + encode(seq));
    }
  }
  const firstLine = skipped === '' ? '' : toLine(unindexed, skipped);
  const rows = allBuckets.map(() => `\n${firstLine}`);
  for (const [term, ofTerm] of positions) {
    await takeTurn();
    rows[toBucket(term)] += toLine(term, ofTerm);
  }
  return rows;
}

/** The characters that a message with these terms adds to the rows. */
function sumLengths(terms: ReadonlySet<string>, positions: ReadonlyMap<string, string>): number {
  let sum = 0;
  for (const term of terms) sum += positions.has(term) ? 2 : toLine(term, '').length + 2;
  return sum;
}

/**
 * Deletes the index of a message's block in the transaction that changes the message, so that no erased word stays in
 * it. Searches read the texts of the block until the background indexes it again.
 */
export async function removeFromIndex(
  db: DatabaseTransaction,
  { classId, seq }: { classId: string; seq: number },
): Promise<void> {
  await deleteWordsOfBlock(db, classId, toBlock(seq), allBuckets);
}
