// Matches a query as it is typed. If no class has all of its words, tries rewrites of it in turn.
import type { Class } from '#contract/entities.ts';
import type { CourseCodes } from '#server/features/class-search/course-codes.ts';
import type { MatchedDocs, QueryMatcher } from '#server/features/class-search/query-matcher.ts';
import { toQueryTerms, type QueryTerm } from '#server/features/class-search/query-terms.ts';
import type { TermDictionary } from '#server/features/class-search/term-dictionary.ts';
import { toOtherNumeral, toTerms, tokenize } from '#server/base/tokenizer.ts';
import type { TimeRange } from './meeting-times.ts';
import { QueryRewriter, type QueryRewrite } from './query-rewriter.ts';
import type { ShortForms } from './short-forms.ts';

export interface QueryMatches extends MatchedDocs {
  /** The terms that matched: those of the rewrite, if there is one. */
  terms: readonly QueryTerm[];
  /** The query that these documents match, if it is not the given one. */
  rewritten: string | null;
}

interface Dependencies {
  dictionary: TermDictionary;
  codes: CourseCodes;
  shortForms: ShortForms;
  matcher: QueryMatcher;
  listDocs(): Int32Array;
  findDocClass(doc: number): Class | null;
  /** When the class begins, in minutes after midnight. -1 if it has no time. */
  getDocBegin(doc: number): number;
  /** The first of the documents that the last query matched. */
  findBestDoc(docs: Int32Array): number;
}

// These bound the cost of a query that finds nothing.
const maxExactTries = 6;
const maxFuzzyTries = 1;
const maxPostingsRead = 100_000;

type Match = QueryMatcher['match'];

export class FallbackMatcher {
  readonly #dependencies: Dependencies;
  readonly #rewriter: QueryRewriter;
  /** No rewrite is tried after this many postings were read. */
  #maxTotalPostings = 0;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#rewriter = new QueryRewriter(
      dependencies.dictionary,
      dependencies.codes,
      dependencies.shortForms,
    );
  }

  /** Ignores filters and pages, so that each request about one query gets the same rewrite. */
  match(text: string): QueryMatches {
    const terms = toQueryTerms(text);
    const exact = this.#dependencies.matcher.matchExactly(terms);
    this.#maxTotalPostings = this.#dependencies.matcher.postingsRead + maxPostingsRead;
    const asTyped = { ...exact, terms, rewritten: null };
    if (exact.docs.length > 0) {
      const bestDoc = this.#dependencies.findBestDoc(exact.docs);
      const isShortForm = !isOnlyInitials(terms) && this.#isShortFormOnly(text, terms);
      // The next match overwrites the documents.
      const typedDocs = new Set(isShortForm ? exact.docs : []);
      const rewrites = isShortForm
        ? this.#rewriter.rewrite(text, false)
        : this.#listBetterRewrites(bestDoc, text, terms);
      if (rewrites.length === 0) return asTyped;
      const rewrittenMatches = this.#tryAll(rewrites.slice(0, maxExactTries), (queryTerms) =>
        this.#dependencies.matcher.matchExactly(queryTerms),
      );
      // If a short form as typed finds what it means, it also finds other forms of the same words.
      const isBetter =
        rewrittenMatches && !typedDocs.has(this.#dependencies.findBestDoc(rewrittenMatches.docs));
      return isBetter
        ? rewrittenMatches
        : { ...asTyped, ...this.#dependencies.matcher.matchExactly(terms) };
    }

    const sameMeaning = this.#rewriter.rewrite(text, false).slice(0, maxExactTries);
    const sameMeaningMatches = this.#tryAll(sameMeaning, (queryTerms) =>
      this.#dependencies.matcher.matchExactly(queryTerms),
    );
    if (sameMeaningMatches) return sameMeaningMatches;

    const fuzzy = this.#dependencies.matcher.match(terms);
    if (fuzzy.docs.length > 0) return { ...fuzzy, terms, rewritten: null };

    const withUnknown = this.#rewriter.rewrite(text, true).slice(0, maxFuzzyTries);
    const untried = withUnknown.filter((candidate) => candidate.hasUnknown);
    this.#maxTotalPostings = this.#dependencies.matcher.postingsRead + maxPostingsRead;
    return (
      this.#tryAll(untried, (queryTerms) => this.#dependencies.matcher.match(queryTerms)) ??
      this.#matchPart(withUnknown[0] ?? createPlainRewrite(text)) ?? {
        ...fuzzy,
        terms,
        rewritten: null,
      }
    );
  }

  #tryRewrite({ text, begins, shown }: QueryRewrite, match: Match): QueryMatches | null {
    const terms = toQueryTerms(text);
    const matches =
      terms.length > 0 ? match(terms) : { docs: this.#dependencies.listDocs(), fuzzy: new Map() };
    const docs = begins ? this.#filterByBegin(matches.docs, begins) : matches.docs;
    return docs.length > 0 ? { docs, fuzzy: matches.fuzzy, terms, rewritten: shown } : null;
  }

  #filterByBegin(docs: Int32Array, { from, to }: TimeRange): Int32Array {
    return docs.filter((doc) => {
      const begin = this.#dependencies.getDocBegin(doc);
      return begin >= from && begin <= to;
    });
  }

  #tryAll(rewrites: readonly QueryRewrite[], match: Match): QueryMatches | null {
    for (const candidate of rewrites) {
      if (this.#dependencies.matcher.postingsRead > this.#maxTotalPostings) return null;
      const matches = this.#tryRewrite(candidate, match);
      if (matches) return matches;
    }
    return null;
  }

  /** Leaves out the words that the best class does not have. */
  #matchPart(fullRewrite: QueryRewrite): QueryMatches | null {
    const part = this.#dependencies.matcher.findMatchablePart(toQueryTerms(fullRewrite.text));
    if (part.length === 0) return null;
    const tokens = tokenize(fullRewrite.text);
    const slices = part.map(({ position }) => {
      const { start = 0, end = 0 } = tokens[position] ?? {};
      return fullRewrite.text.slice(start, end);
    });
    const text = slices.join(' ');
    const timed = {
      ...fullRewrite,
      text,
      shown: fullRewrite.shown.replace(fullRewrite.text, text),
    };
    const untimed = createPlainRewrite(text);
    const timedMatches = fullRewrite.begins
      ? this.#tryRewrite(timed, (queryTerms) => this.#dependencies.matcher.match(queryTerms))
      : null;
    return (
      timedMatches ??
      this.#tryRewrite(untimed, (queryTerms) => this.#dependencies.matcher.match(queryTerms))
    );
  }

  /** Rewrites that are better than these exact matches, because the matches are there by accident. */
  #listBetterRewrites(bestDoc: number, text: string, terms: readonly QueryTerm[]): QueryRewrite[] {
    const number = terms.findIndex(({ text: term }, i) => i > 0 && /^\d/.test(term));
    if (number > 0 && !hasNumber(this.#dependencies.findDocClass(bestDoc), terms.slice(number))) {
      return this.#rewriter.rewrite(text, false).filter((candidate) => candidate.namesCourse);
    }
    // One letter such as the P of 'A&P' begins too many words.
    return isOnlyInitials(terms)
      ? this.#dependencies.shortForms.listFullForms(toTerms(text).join('')).map(createPlainRewrite)
      : [];
  }

  /** The whole query is a short form, and it only begins words of classes: 'os' begins 'Osteology'. */
  #isShortFormOnly(text: string, terms: readonly QueryTerm[]): boolean {
    const squeezed = toTerms(text).join('');
    // A single longer word may be the beginning of the word that the student is typing.
    const isComplete = squeezed.length > 1 && (terms.length > 1 || squeezed.length === 2);
    const beginsWords = terms.some((term) => this.#dependencies.dictionary.get(term.text) === null);
    return (
      isComplete && beginsWords && this.#dependencies.shortForms.listFullForms(squeezed).length > 0
    );
  }
}

function createPlainRewrite(text: string): QueryRewrite {
  return { text, begins: null, shown: text, namesCourse: false, hasUnknown: false };
}

function isOnlyInitials(terms: readonly QueryTerm[]): boolean {
  return terms.every((term) => term.text.length === 1);
}

/** Whether the terms are the number of this course, or the first one is a number in its name. */
function hasNumber(foundClass: Class | null, terms: readonly QueryTerm[]): boolean {
  const [number = '', ...rest] = terms.map(({ text }) => text);
  const course = toTerms(foundClass?.courseNumber ?? '').join('');
  if ([number, ...rest].join('').startsWith(course) && course.startsWith(number)) return true;
  const hasSuffix = /^[a-z]$/.test(rest[0] ?? '');
  const numbers = [number, toOtherNumeral(number)];
  return (
    !hasSuffix &&
    toTerms(foundClass?.courseName || foundClass?.name || '').some((term) => numbers.includes(term))
  );
}
