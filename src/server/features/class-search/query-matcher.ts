// Finds the classes that contain all terms of a query and scores them in one pass over the postings.
import { toFieldIndex, toPosition } from './class-terms.ts';
import type { CourseCodes } from './course-codes.ts';
import { expandTerm, type Expansion, type QueryTerm } from './query-terms.ts';
import {
  codeScores,
  getFieldWeights,
  nameStartBonus,
  proximityBonus,
  stopWordBonus,
  typoPenalty,
  wholeNameBonus,
} from './ranking.ts';
import type { TermDictionary } from './term-dictionary.ts';

export interface MatchedDocs {
  /** A view of a reused buffer: the next query overwrites it. */
  docs: Int32Array;
  /** The indexed terms that match each query term with a typo. */
  fuzzy: ReadonlyMap<QueryTerm, ReadonlySet<string>>;
}

interface WeighedTerm {
  expansions: readonly Expansion[];
  /** The number of postings of all expansions. */
  postings: number;
  /** Rare terms weigh most. */
  weight: number;
}

interface Dependencies {
  dictionary: TermDictionary;
  codes: CourseCodes;
  countNameTerms(doc: number): number;
  /** Greater than every document number. */
  getDocLimit(): number;
}

const assumedTypos = [0, 1, 2];
const noTypos = [null];
/** Bounds the cost of finding the matchable part of a query. */
const maxWeighedPostings = 100_000;
/** A part of a query must have at least this part of its weight. */
const minPart = 0.4;
/** The first two searched fields are names. */
const isNameField = (fieldIndex: number) => fieldIndex < 2;
const noMatch: MatchedDocs = { docs: new Int32Array(), fuzzy: new Map() };

export class QueryMatcher {
  readonly #dependencies: Dependencies;
  // These buffers have one element per class and are reused, so a query allocates nothing per class.
  #scores = new Int32Array();
  #wholeNameTerms = new Uint8Array();
  #lastPlace = new Int32Array();
  // The place, the score and the kind of the best match of the current term.
  #bestScore = new Int32Array();
  #bestPlace = new Int32Array();
  #bestIsNameTerm = new Uint8Array();
  /** The last pass that matched each document. Pass numbers are never reused. */
  #matchedBy = new Float64Array();
  #lastPass = 0;
  #postingsRead = 0;
  /** The documents that the last pass matched. */
  #matched = new Int32Array();

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  match(terms: readonly QueryTerm[]): MatchedDocs {
    return this.#matchInTurn(terms, assumedTypos);
  }

  /** Accepts no typos. */
  matchExactly(terms: readonly QueryTerm[]): MatchedDocs {
    return this.#matchInTurn(terms, noTypos);
  }

  /**
   * Finds the terms that the best document has, if no document has all terms. Empty if these terms are only an unimportant part.
   */
  findMatchablePart(terms: readonly QueryTerm[]): QueryTerm[] {
    this.#reserve();
    const weighedTerms = terms.map((term) => this.#weigh(term));
    const minWeight = minPart * weighedTerms.reduce((sum, { weight }) => sum + weight, 0);
    const docs = this.#sumWeights(weighedTerms, minWeight);
    const pass = this.#lastPass;
    let isCode = false;
    const texts = terms.map(({ text }) => text);
    this.#dependencies.codes.visitMatches(texts, (doc, match) => {
      if (this.#matchedBy[doc] !== pass || match === 'subject') return;
      this.#bestScore[doc] = Math.max(this.#bestScore[doc] as number, codeScores[match]);
      isCode = true;
    });
    let bestDoc = -1;
    for (const doc of docs) {
      if (bestDoc < 0 || (this.#bestScore[doc] as number) > (this.#bestScore[bestDoc] as number)) {
        bestDoc = doc;
      }
    }
    if (bestDoc < 0) return [];
    const bits = this.#lastPlace[bestDoc] as number;
    const matchedTerms = terms.filter((_, i) => (bits >> i) & 1);
    const hasImportantTerm = matchedTerms.some(
      ({ text, stopWord }) => !stopWord && /^\p{L}{3}/u.test(text),
    );
    return isCode || (hasImportantTerm && (this.#bestScore[bestDoc] as number) >= minWeight)
      ? matchedTerms
      : [];
  }

  /** The number of postings read so far. */
  get postingsRead(): number {
    return this.#postingsRead;
  }

  /** The score of each document that the last query matched. */
  get scores(): Int32Array {
    return this.#scores;
  }

  #reserve(): void {
    if (this.#scores.length >= this.#dependencies.getDocLimit()) return;
    const length = this.#dependencies.getDocLimit() + 1024;
    this.#scores = new Int32Array(length);
    this.#wholeNameTerms = new Uint8Array(length);
    this.#lastPlace = new Int32Array(length);
    this.#bestScore = new Int32Array(length);
    this.#bestPlace = new Int32Array(length);
    this.#bestIsNameTerm = new Uint8Array(length);
    this.#matchedBy = new Float64Array(length);
    this.#matched = new Int32Array(length);
  }

  /**
   * Matches one query term against the documents that the previous pass matched.
   *
   * @param previous the number of the previous pass, 0 for the first term
   * @param gap the distance in words to the previous required query term
   */
  #matchTerm(expansions: readonly Expansion[], previous: number, gap: number): Int32Array {
    const pass = ++this.#lastPass;
    const isFirst = previous === 0;
    const step = gap << 3;
    let count = 0;
    for (const { term, isWhole, typos } of expansions) {
      const { postings } = term;
      this.#postingsRead += postings.length / 2;
      const weights = getFieldWeights(isWhole);
      const penalty = typos * typoPenalty;
      for (let index = 0; index < postings.length; index += 2) {
        const doc = postings[index] as number;
        const place = postings[index + 1] as number;
        const fieldIndex = toFieldIndex(place);
        const last = this.#matchedBy[doc] as number;
        if (!isFirst && last !== pass && last !== previous) continue;
        let score = (weights[fieldIndex] as number) - penalty;
        if (toPosition(place) === 0 && isNameField(fieldIndex)) score += nameStartBonus;
        if (!isFirst && place - (this.#lastPlace[doc] as number) === step) score += proximityBonus;
        if (last !== pass) {
          this.#matchedBy[doc] = pass;
          this.#matched[count++] = doc;
        } else if (score <= (this.#bestScore[doc] as number)) continue;
        this.#bestScore[doc] = score;
        this.#bestPlace[doc] = place;
        this.#bestIsNameTerm[doc] = isWhole && isNameField(fieldIndex) ? 1 : 0;
      }
    }
    for (let index = 0; index < count; index++) {
      const doc = this.#matched[index] as number;
      const score = this.#bestScore[doc] as number;
      const inName = this.#bestIsNameTerm[doc] as number;
      this.#scores[doc] = isFirst ? score : (this.#scores[doc] as number) + score;
      this.#wholeNameTerms[doc] = isFirst ? inName : (this.#wholeNameTerms[doc] as number) + inName;
      this.#lastPlace[doc] = this.#bestPlace[doc] as number;
    }
    return this.#matched.subarray(0, count);
  }

  /** @returns null if no number of assumed typos can match a term */
  #matchRequired(terms: readonly QueryTerm[], typos: number | null): MatchedDocs | null {
    const fuzzy = new Map<QueryTerm, ReadonlySet<string>>();
    let previous = 0;
    let position = 0;
    let { docs } = noMatch;
    for (const term of terms.filter((queryTerm) => queryTerm.required)) {
      const expansions = expandTerm(term, this.#dependencies.dictionary, typos);
      if (expansions.length === 0) return null;
      const mistyped = expansions.filter((expansion) => expansion.typos > 0);
      fuzzy.set(term, new Set(mistyped.map((expansion) => expansion.term.text)));
      docs = this.#matchTerm(expansions, previous, term.position - position);
      if (docs.length === 0) return noMatch;
      previous = this.#lastPass;
      ({ position } = term);
    }
    return { docs, fuzzy };
  }

  #scoreStopWords(terms: readonly QueryTerm[]): void {
    for (const { text } of terms.filter((term) => !term.required)) {
      const postings = this.#dependencies.dictionary.get(text)?.postings ?? [];
      for (let index = 0; index < postings.length; index += 2) {
        const doc = postings[index] as number;
        const fieldIndex = toFieldIndex(postings[index + 1] as number);
        if (this.#matchedBy[doc] !== this.#lastPass) continue;
        this.#scores[doc] = (this.#scores[doc] as number) + stopWordBonus;
        if (isNameField(fieldIndex)) {
          this.#wholeNameTerms[doc] = (this.#wholeNameTerms[doc] as number) + 1;
        }
      }
    }
  }

  #scoreWholeNames(docs: Int32Array, length: number): void {
    for (const doc of docs) {
      if (
        this.#wholeNameTerms[doc] !== length ||
        this.#dependencies.countNameTerms(doc) !== length
      ) {
        continue;
      }
      this.#scores[doc] = (this.#scores[doc] as number) + wholeNameBonus;
    }
  }

  #scoreCodes(terms: readonly QueryTerm[]): void {
    const bestCodeScores = new Map<number, number>();
    const texts = terms.map(({ text }) => text).filter((text) => !/^sec(tion)?$/.test(text));
    this.#dependencies.codes.visitMatches(texts, (doc, match) => {
      if (this.#matchedBy[doc] !== this.#lastPass) return;
      bestCodeScores.set(doc, Math.max(bestCodeScores.get(doc) ?? 0, codeScores[match]));
    });
    for (const [doc, score] of bestCodeScores) {
      this.#scores[doc] = (this.#scores[doc] as number) + score;
    }
  }

  #matchFirst(terms: readonly QueryTerm[], typosInTurn: readonly (number | null)[]): MatchedDocs {
    for (const typos of typosInTurn) {
      const matches = this.#matchRequired(terms, typos);
      if (!matches) return noMatch;
      if (matches.docs.length === 0) continue;
      this.#scoreStopWords(terms);
      this.#scoreWholeNames(matches.docs, terms.length);
      this.#scoreCodes(terms);
      return matches;
    }
    return noMatch;
  }

  #matchInTurn(terms: readonly QueryTerm[], typosInTurn: readonly (number | null)[]): MatchedDocs {
    this.#reserve();
    const last = terms.at(-1);
    const matches = this.#matchFirst(terms, typosInTurn);
    if (matches.docs.length > 0 || !last?.stopWord || !last.required) return matches;
    // The last term is not the prefix of a longer word, so classes can miss it.
    const stopWord = { ...last, required: false };
    return this.#matchFirst([...terms.slice(0, -1), stopWord], typosInTurn);
  }

  #weigh(term: QueryTerm): WeighedTerm {
    const expansions = expandTerm(term, this.#dependencies.dictionary, 0);
    const postings = expansions.reduce(
      (sum, expansion) => sum + expansion.term.postings.length / 2,
      0,
    );
    const rarity = Math.log2(1 + this.#dependencies.getDocLimit() / Math.max(1, postings));
    return {
      expansions,
      postings,
      weight: Math.ceil((100 * rarity) / (1 + (expansions[0]?.typos ?? 0))),
    };
  }

  /**
   * Sums up the weights of the terms of each document in `bestScore`, and sets a bit for each of these terms in `lastPlace`. It
   * starts with the rarest term. Documents that cannot reach `minWeight`, and terms that are too common, are left out.
   */
  #sumWeights(terms: readonly WeighedTerm[], minWeight: number): Int32Array {
    const pass = ++this.#lastPass;
    let count = 0;
    let remainingWeight = terms.reduce((sum, { weight }) => sum + weight, 0);
    const rarestFirst = [...terms.entries()].toSorted(([, a], [, b]) => b.weight - a.weight);
    let allowedPostings = maxWeighedPostings;
    for (const [i, { expansions, postings: postingCount, weight }] of rarestFirst) {
      const canReachMinimum = remainingWeight >= minWeight;
      remainingWeight -= weight;
      allowedPostings -= postingCount;
      if (allowedPostings < 0 || (!canReachMinimum && count === 0)) break;
      this.#postingsRead += postingCount;
      for (const { term } of expansions) {
        const { postings } = term;
        for (let index = 0; index < postings.length; index += 2) {
          const doc = postings[index] as number;
          if (this.#matchedBy[doc] !== pass) {
            if (!canReachMinimum) continue;
            this.#matchedBy[doc] = pass;
            this.#matched[count++] = doc;
            this.#lastPlace[doc] = 0;
            this.#bestScore[doc] = 0;
          }
          const bits = this.#lastPlace[doc] as number;
          if ((bits >> i) & 1) continue;
          this.#lastPlace[doc] = bits | (1 << i);
          this.#bestScore[doc] = (this.#bestScore[doc] as number) + weight;
        }
      }
    }
    return this.#matched.subarray(0, count);
  }
}
