// The word index of a class. Each block of 1024 log entries has one row per bucket of terms. A row lists the messages
// of each term. A block without rows is not indexed yet, and a search reads its messages instead.
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

/** Maps all terms with the same first character to one bucket, so that a search reads one bucket per word. */
export function toBucket(term: string): number {
  return term.charCodeAt(0) % bucketCount;
}

/**
 * Encodes a message's position in its block as two digits of base 32. The first and the second digit have different characters.
 */
function encodePosition(seq: number): string {
  const offset = seq % blockLength;
  return String.fromCharCode(48 + (offset >> 5), 80 + (offset & 31));
}

/** A line of a row: a term, a tab, and the encoded positions of its messages. Each line ends with a newline. */
function toLine(term: string, positions: string): string {
  return `${term}\t${positions}\n`;
}

/** A message with more terms is not indexed. A long message of ordinary words has fewer. */
const maxTermsOfMessage = 200;
/** The maximum length of all rows of a block, which a change of one message erases. Ordinary messages need a fifth of it. */
const maxLengthOfBlock = 256 * 1024;

/** The term under which each row lists the messages whose words are not indexed. Every search reads their texts. */
const unindexedTerm = '';

/**
 * Calls `onFound` with the position of each message that may have a term with this prefix, several times if the message has
 * several such terms.
 */
export function findPositions(
  entries: string,
  prefix: string,
  onFound: (offset: number) => void,
): void {
  for (const lineStart of [`\n${prefix}`, `\n${unindexedTerm}\t`]) {
    for (
      let position = entries.indexOf(lineStart);
      position >= 0;
      position = entries.indexOf(lineStart, position + 1)
    ) {
      const end = entries.indexOf('\n', position + 1);
      for (let n = entries.indexOf('\t', position) + 1; n < end; n += 2) {
        onFound(((entries.charCodeAt(n) - 48) << 5) | (entries.charCodeAt(n + 1) - 80));
      }
    }
  }
}

/** The most entries between the start and the commit of an indexing. The log keeps more entries than this. */
const maxNewEntries = 1000;

/** The number of messages that one query reads. For long messages, the query takes a millisecond. */
const textsPerRead = 64;

/**
 * Indexes one complete block, in turns of the event loop.
 *
 * @returns false if a message changed in the meantime, so that the block is not indexed
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
      // The rows of a deleted class are being erased, and a new row would stay.
      if (!(await findClass(unitOfWork.db, classId))) return true;
      // The log tells whether a text has changed. A comparison of the texts would take too long in a commit.
      const isLogComplete = (await findHead(unitOfWork.db, classId)) - head < maxNewEntries;
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

/** @returns the row of each bucket, which depends only on the texts and their positions */
async function createRows(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<string[]> {
  const takeTurn = createTurns();
  const positionsByTerm = new Map<string, string>();
  let unindexedPositions = '';
  let length = 0;
  for (let first = from; first <= to; first += textsPerRead) {
    const texts = await listTexts(db, classId, first, Math.min(first + textsPerRead - 1, to));
    for (const { seq, text } of texts.toReversed()) {
      await takeTurn();
      const terms = toIndexTerms(text);
      const addedLength = sumLengths(terms, positionsByTerm);
      if (terms.size > maxTermsOfMessage || length + addedLength > maxLengthOfBlock) {
        unindexedPositions += encodePosition(seq);
        continue;
      }
      length += addedLength;
      for (const term of terms) {
        positionsByTerm.set(term, (positionsByTerm.get(term) ?? '') + encodePosition(seq));
      }
    }
  }
  const firstLine = unindexedPositions === '' ? '' : toLine(unindexedTerm, unindexedPositions);
  const rows = allBuckets.map(() => `\n${firstLine}`);
  for (const [term, positions] of positionsByTerm) {
    await takeTurn();
    rows[toBucket(term)] += toLine(term, positions);
  }
  return rows;
}

/** Counts the characters that a message with these terms adds to the rows. */
function sumLengths(
  terms: ReadonlySet<string>,
  positionsByTerm: ReadonlyMap<string, string>,
): number {
  let sum = 0;
  for (const term of terms) sum += positionsByTerm.has(term) ? 2 : toLine(term, '').length + 2;
  return sum;
}

/**
 * Deletes the index of a message's block in the transaction that changes the message, so that no erased word stays in the index.
 * Searches read the texts of the block until it is indexed again in the background.
 */
export async function removeFromIndex(
  db: DatabaseTransaction,
  { classId, seq }: { classId: string; seq: number },
): Promise<void> {
  await deleteWordsOfBlock(db, classId, toBlock(seq), allBuckets);
}
