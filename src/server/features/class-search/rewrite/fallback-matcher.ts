// Matches a query as it is typed. If no class has all of its words, tries rewrites of it in turn.
import type { Class } from '#contract/entities.ts';
import type { CourseCodes } from '#server/features/class-search/course-codes.ts';
import type { MatchedDocs, QueryMatcher } from '#server/features/class-search/query-matcher.ts';
import { toQueryTerms, type QueryTerm } from '#server/features/class-search/query-terms.ts';
import type { TermDictionary } from '#server/features/class-search/term-dictionary.ts';
import { toOtherNumeral, toTerms, tokenize } from '#server/base/tokenizer.ts';
import type { TimeRange } from './meeting-times.ts';
import { createQueryRewriter, type QueryRewrite } from './query-rewriter.ts';
import type { ShortForms } from './short-forms.ts';

export interface QueryMatches extends MatchedDocs {
  /** The terms that matched: those of the rewrite, if there is one. */
  terms: readonly QueryTerm[];
  /** The query that these documents match, if it is not the given one. */
  rewritten: string | null;
}

export interface FallbackMatcher {
  /** Ignores filters and pages, so that each request about one query gets the same rewrite. */
  match(text: string): QueryMatches;
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

export function createFallbackMatcher(dependencies: Dependencies): FallbackMatcher {
  const {
    dictionary,
    codes,
    shortForms,
    matcher,
    listDocs,
    getDocBegin,
    findDocClass,
    findBestDoc,
  } = dependencies;
  const { rewrite } = createQueryRewriter(dictionary, codes, shortForms);

  /** No rewrite is tried after this many postings were read. */
  let maxTotalPostings = 0;

  function tryRewrite({ text, begins, shown }: QueryRewrite, match: Match): QueryMatches | null {
    const terms = toQueryTerms(text);
    const matches = terms.length > 0 ? match(terms) : { docs: listDocs(), fuzzy: new Map() };
    const docs = begins ? filterByBegin(matches.docs, begins) : matches.docs;
    return docs.length > 0 ? { docs, fuzzy: matches.fuzzy, terms, rewritten: shown } : null;
  }

  function filterByBegin(docs: Int32Array, { from, to }: TimeRange): Int32Array {
    return docs.filter((doc) => {
      const begin = getDocBegin(doc);
      return begin >= from && begin <= to;
    });
  }

  function tryAll(rewrites: readonly QueryRewrite[], match: Match): QueryMatches | null {
    for (const candidate of rewrites) {
      if (matcher.postingsRead > maxTotalPostings) return null;
      const matches = tryRewrite(candidate, match);
      if (matches) return matches;
    }
    return null;
  }

  /** Leaves out the words that the best class does not have. */
  function matchPart(fullRewrite: QueryRewrite): QueryMatches | null {
    const part = matcher.matchablePart(toQueryTerms(fullRewrite.text));
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
    const timedMatches = fullRewrite.begins ? tryRewrite(timed, matcher.match) : null;
    return timedMatches ?? tryRewrite(untimed, matcher.match);
  }

  /** Rewrites that are better than these exact matches, because the matches are there by accident. */
  function listBetterRewrites(
    bestDoc: number,
    text: string,
    terms: readonly QueryTerm[],
  ): QueryRewrite[] {
    const number = terms.findIndex(({ text: term }, i) => i > 0 && /^\d/.test(term));
    if (number > 0 && !hasNumber(findDocClass(bestDoc), terms.slice(number))) {
      return rewrite(text, false).filter((candidate) => candidate.namesCourse);
    }
    // One letter such as the P of 'A&P' begins too many words.
    return isOnlyInitials(terms)
      ? shortForms.listFullForms(toTerms(text).join('')).map(createPlainRewrite)
      : [];
  }

  /** The whole query is a short form, and it only begins words of classes: 'os' begins 'Osteology'. */
  function isShortFormOnly(text: string, terms: readonly QueryTerm[]): boolean {
    const squeezed = toTerms(text).join('');
    // A single longer word may be the beginning of the word that the student is typing.
    const isComplete = squeezed.length > 1 && (terms.length > 1 || squeezed.length === 2);
    const beginsWords = terms.some((term) => dictionary.get(term.text) === null);
    return isComplete && beginsWords && shortForms.listFullForms(squeezed).length > 0;
  }

  return {
    match(text) {
      const terms = toQueryTerms(text);
      const exact = matcher.matchExactly(terms);
      maxTotalPostings = matcher.postingsRead + maxPostingsRead;
      const asTyped = { ...exact, terms, rewritten: null };
      if (exact.docs.length > 0) {
        const bestDoc = findBestDoc(exact.docs);
        const isShortForm = !isOnlyInitials(terms) && isShortFormOnly(text, terms);
        // The next match overwrites the documents.
        const typedDocs = new Set(isShortForm ? exact.docs : []);
        const rewrites = isShortForm
          ? rewrite(text, false)
          : listBetterRewrites(bestDoc, text, terms);
        if (rewrites.length === 0) return asTyped;
        const rewrittenMatches = tryAll(rewrites.slice(0, maxExactTries), matcher.matchExactly);
        // If a short form as typed finds what it means, it also finds other forms of the same words.
        const isBetter = rewrittenMatches && !typedDocs.has(findBestDoc(rewrittenMatches.docs));
        return isBetter ? rewrittenMatches : { ...asTyped, ...matcher.matchExactly(terms) };
      }

      const sameMeaning = rewrite(text, false).slice(0, maxExactTries);
      const sameMeaningMatches = tryAll(sameMeaning, matcher.matchExactly);
      if (sameMeaningMatches) return sameMeaningMatches;

      const fuzzy = matcher.match(terms);
      if (fuzzy.docs.length > 0) return { ...fuzzy, terms, rewritten: null };

      const withUnknown = rewrite(text, true).slice(0, maxFuzzyTries);
      const untried = withUnknown.filter((candidate) => candidate.hasUnknown);
      maxTotalPostings = matcher.postingsRead + maxPostingsRead;
      return (
        tryAll(untried, matcher.match) ??
        matchPart(withUnknown[0] ?? createPlainRewrite(text)) ?? {
          ...fuzzy,
          terms,
          rewritten: null,
        }
      );
    },
  };
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
