// Finds the classes that have the cheapest row of pieces, and scores them. A row covers the whole query. Each limit bounds the
// work of a query by a count, never by time, so that the same query always gets the same answer.
import { toFieldIndex, toPosition } from './class-terms.ts';
import type { Piece, QueryWord } from './query-pieces.ts';
import { getFieldWeights, nameStartBonus, proximityBonus, wholeNameBonus } from './ranking.ts';

/** Pieces that cover the query up to a token, last first. */
interface Row {
  cost: number;
  score: number;
  wordCount: number;
  piece: Piece | null;
  previous: Row | null;
}

/** The classes that have the same words of the query. */
interface WordSet {
  /** Has a 1 for each word, by its number. */
  words: Uint8Array;
  docCount: number;
  /** The row that these classes match. Empty if there is none. */
  pieces: readonly Piece[];
  score: number;
}

export interface Matches {
  /** A view of a buffer that the next query overwrites, like the scores. */
  docs: Int32Array;
  /** By document number. */
  scores: Int32Array;
  /** The rows that classes match. All cost the same. */
  rows: readonly (readonly Piece[])[];
  /** The row that the class matches. */
  listPieces(doc: number): readonly Piece[];
}

/** One element per document. Reused, because allocating them for each query makes the garbage collector work. */
export class MatchBuffers {
  readonly wordSets: Int32Array;
  readonly docs: Int32Array;
  readonly scores: Int32Array;
  readonly scoredDocs: Int32Array;
  // The score, the place and the kind of the best match of the current word.
  readonly bestScores: Int32Array;
  readonly bestPlaces: Int32Array;
  readonly bestIsNameTerm: Uint8Array;
  readonly lastPlaces: Int32Array;
  readonly wholeNameTerms: Uint8Array;

  constructor(length: number) {
    this.wordSets = new Int32Array(length);
    this.docs = new Int32Array(length);
    this.scores = new Int32Array(length);
    this.scoredDocs = new Int32Array(length);
    this.bestScores = new Int32Array(length);
    this.bestPlaces = new Int32Array(length);
    this.bestIsNameTerm = new Uint8Array(length);
    this.lastPlaces = new Int32Array(length);
    this.wholeNameTerms = new Uint8Array(length);
  }
}

const maxWords = 128;
const maxWordSets = 1000;
/** The postings of the words. Each is read at most twice. */
const maxPostings = 1_000_000;
/** The first two searched fields are names. */
const isNameField = (fieldIndex: number) => fieldIndex < 2;

export class QueryMatcher {
  /** The number of terms in each class's name, by document number. */
  readonly #nameLengths: readonly number[];
  readonly #wordNumbers = new Map<QueryWord, number>();
  readonly #wordSets: WordSet[] = [
    { words: new Uint8Array(maxWords), docCount: 0, pieces: [], score: 0 },
  ];
  readonly #buffers: MatchBuffers;
  #postingCount = 0;

  constructor(nameLengths: readonly number[], buffers: MatchBuffers) {
    this.#nameLengths = nameLengths;
    this.#buffers = buffers;
    buffers.wordSets.fill(0);
  }

  /**
   * @param pieces the pieces of this query, also those of earlier calls
   * @returns null if no class has a row of them
   */
  match(pieces: readonly Piece[], tokenCount: number): Matches | null {
    const cheapestFirst = pieces.toSorted((a, b) => a.cost - b.cost);
    for (const { words } of cheapestFirst) for (const word of words) this.#addWord(word);
    const numbered = cheapestFirst
      .filter(({ words }) => words.every((word) => this.#wordNumbers.has(word)))
      .map((piece) => ({
        piece,
        numbers: piece.words.map((word) => this.#wordNumbers.get(word) as number),
      }));
    const byToken = Array.from({ length: tokenCount }, (_, token) =>
      numbered.filter(({ piece }) => piece.from === token),
    );
    const rows = this.#wordSets.map(({ words, docCount }) =>
      docCount === 0 ? null : findCheapestRow(words, byToken),
    );
    const cheapest = rows.reduce((cost, row) => Math.min(cost, row?.cost ?? Infinity), Infinity);
    if (cheapest === Infinity) return null;
    for (const [i, wordSet] of this.#wordSets.entries()) {
      const row = rows[i];
      wordSet.pieces = row?.cost === cheapest ? toPieces(row) : [];
      wordSet.score = row?.score ?? 0;
    }
    return this.#score(tokenCount);
  }

  /** Moves each class that has the word into the set with one word more. */
  #addWord(word: QueryWord): void {
    if (this.#wordNumbers.has(word) || this.#wordNumbers.size === maxWords) return;
    if (this.#postingCount + word.postingCount > maxPostings) return;
    this.#postingCount += word.postingCount;
    const number = this.#wordNumbers.size;
    this.#wordNumbers.set(word, number);
    const oldCount = this.#wordSets.length;
    /** For each set, the set with the word. */
    const targets = new Int32Array(oldCount);
    const wordSetByDoc = this.#buffers.wordSets;
    for (const { term } of word.expansions) {
      const { postings } = term;
      for (let index = 0; index < postings.length; index += 2) {
        const doc = postings[index] as number;
        const source = wordSetByDoc[doc] as number;
        // Another posting has moved the document.
        if (source >= oldCount) continue;
        const target = (targets[source] ||= this.#extend(source, number));
        (this.#wordSets[source] as WordSet).docCount -= 1;
        (this.#wordSets[target] as WordSet).docCount += 1;
        wordSetByDoc[doc] = target;
      }
    }
  }

  /** @returns the number of the new set. The same set if there are too many: its classes then lack the word. */
  #extend(wordSet: number, wordNumber: number): number {
    if (this.#wordSets.length === maxWordSets) return wordSet;
    const words = (this.#wordSets[wordSet] as WordSet).words.slice();
    words[wordNumber] = 1;
    return this.#wordSets.push({ words, docCount: 0, pieces: [], score: 0 }) - 1;
  }

  #score(tokenCount: number): Matches {
    const wordSets = this.#wordSets;
    const { docs, scores, wordSets: wordSetByDoc } = this.#buffers;
    let count = 0;
    for (let doc = 0; doc < this.#nameLengths.length; doc++) {
      const { pieces, score } = wordSets[wordSetByDoc[doc] as number] as WordSet;
      if (pieces.length === 0) continue;
      docs[count++] = doc;
      scores[doc] = score;
    }
    const matches = docs.subarray(0, count);
    const wholeNameTerms = this.#scoreWords(scores);
    const canBeName = wordSets.map(({ pieces }) => pieces.every(({ shown }) => shown === null));
    for (const doc of matches) {
      if (wholeNameTerms[doc] !== tokenCount || this.#nameLengths[doc] !== tokenCount) continue;
      if (canBeName[wordSetByDoc[doc] as number]) (scores[doc] as number) += wholeNameBonus;
    }
    const listPieces = (doc: number) => wordSets[wordSetByDoc[doc] as number]?.pieces ?? [];
    const rows = wordSets.map(({ pieces }) => pieces).filter((pieces) => pieces.length > 0);
    return { docs: matches, scores, rows, listPieces };
  }

  /**
   * Adds the score of each word of a class's row.
   *
   * @returns for each document, how many of these words are whole words of its name
   */
  #scoreWords(scores: Int32Array): Uint8Array {
    const { bestScores, bestPlaces, bestIsNameTerm, lastPlaces, wholeNameTerms, scoredDocs } =
      this.#buffers;
    const wordSetByDoc = this.#buffers.wordSets;
    lastPlaces.fill(-9);
    wholeNameTerms.fill(0);
    const rowWords = this.#wordSets.map(
      ({ pieces }) =>
        new Set(pieces.flatMap(({ words }) => words.filter(({ kind }) => kind === 'text'))),
    );
    for (const word of new Set(rowWords.flatMap((words) => [...words]))) {
      const isInRow = rowWords.map((words) => words.has(word));
      let count = 0;
      for (const { term, isWhole } of word.expansions) {
        const { postings } = term;
        const weights = getFieldWeights(isWhole);
        for (let index = 0; index < postings.length; index += 2) {
          const doc = postings[index] as number;
          if (!isInRow[wordSetByDoc[doc] as number]) continue;
          const place = postings[index + 1] as number;
          const fieldIndex = toFieldIndex(place);
          const isName = isNameField(fieldIndex);
          let score = weights[fieldIndex] as number;
          if (isName && toPosition(place) === 0) score += nameStartBonus;
          if (place - (lastPlaces[doc] as number) === 8) score += proximityBonus;
          const best = bestScores[doc] as number;
          if (score <= best) continue;
          if (best === 0) scoredDocs[count++] = doc;
          bestScores[doc] = score;
          bestPlaces[doc] = place;
          bestIsNameTerm[doc] = isWhole && isName ? 1 : 0;
        }
      }
      for (const doc of scoredDocs.subarray(0, count)) {
        (scores[doc] as number) += bestScores[doc] as number;
        (wholeNameTerms[doc] as number) += bestIsNameTerm[doc] as number;
        lastPlaces[doc] = bestPlaces[doc] as number;
        bestScores[doc] = 0;
      }
    }
    return wholeNameTerms;
  }
}

/** Finds the cheapest row of words in the set, by dynamic programming over the tokens. */
function findCheapestRow(
  words: Uint8Array,
  byToken: readonly (readonly { piece: Piece; numbers: readonly number[] }[])[],
): Row | null {
  const rows: (Row | undefined)[] = [
    { cost: 0, score: 0, wordCount: 0, piece: null, previous: null },
  ];
  for (const [from, pieces] of byToken.entries()) {
    const previous = rows[from];
    if (!previous) continue;
    for (const { piece, numbers } of pieces) {
      if (!numbers.every((number) => words[number] === 1)) continue;
      const row = {
        cost: previous.cost + piece.cost,
        score: previous.score + piece.score,
        wordCount: previous.wordCount + numbers.length,
        piece,
        previous,
      };
      const current = rows[piece.to];
      if (!current || isBetter(row, current)) rows[piece.to] = row;
    }
  }
  const row = rows[byToken.length];
  return row && row.wordCount > 0 ? row : null;
}

function isBetter(a: Row, b: Row): boolean {
  if (a.cost !== b.cost) return a.cost < b.cost;
  return a.score === b.score ? a.wordCount > b.wordCount : a.score > b.score;
}

function toPieces(row: Row): Piece[] {
  const pieces: Piece[] = [];
  for (let end: Row | null = row; end?.piece; end = end.previous) pieces.unshift(end.piece);
  return pieces;
}
