// The built-in search index: holds every class in memory and finds it by word, course code and facet.
import type { Class } from '#contract/entities.ts';
import { searchFacets, type SearchFacet } from '#contract/class-fields.ts';
import { visitTerms, countNameTerms } from './class-terms.ts';
import { toCodeSortKey, createCourseCodes } from './course-codes.ts';
import { createDocNumbers } from './doc-numbers.ts';
import { createFacet, type Facet } from './facet.ts';
import type { HighlightTerm } from './highlight.ts';
import { createClassInterner } from './interner.ts';
import { createQueryMatcher } from './query-matcher.ts';
import { toQueryTerms } from './query-terms.ts';
import { createFallbackMatcher, type QueryMatches } from './rewrite/fallback-matcher.ts';
import type { ShortForms } from './rewrite/short-forms.ts';
import { createTermDictionary } from './term-dictionary.ts';
import { createTopK } from './top-k.ts';

export interface FacetValue {
  facet: SearchFacet;
  value: string;
}

export interface IndexQuery {
  text: string;
  /** A class has one value of each list. */
  filter: readonly (readonly FacetValue[])[];
  /** The page: how many matches to skip, and how many to return. */
  from: number;
  count: number;
  /** The facets to count over all matches. */
  facets: readonly SearchFacet[];
}

export interface IndexResult {
  /** The number of matches on all pages together. */
  total: number;
  classes: readonly Class[];
  /** The values of each facet with their counts, most frequent first. */
  facets: ReadonlyMap<SearchFacet, [value: string, count: number][]>;
  /** The query terms with the terms they matched, for highlighting. */
  terms: readonly HighlightTerm[];
  /** The query that these classes match, if none matches the given one. */
  rewritten: string | null;
}

export interface ClassIndex {
  /** Adds or replaces the class. */
  put(indexedClass: Class): void;
  remove(classId: string): void;
  find(query: IndexQuery): IndexResult;
  /** The ids of all indexed classes. */
  ids(): Iterable<string>;
}

type DocTest = (doc: number) => boolean;

export function createClassIndex(shortForms: ShortForms): ClassIndex {
  const docNumbers = createDocNumbers();
  /** By document number, like the next four. */
  const classes: (Class | null)[] = [];
  const memberCounts: number[] = [];
  const sortKeys: number[] = [];
  const nameLengths: number[] = [];
  const begins: number[] = [];
  const dictionary = createTermDictionary();
  const codes = createCourseCodes();
  const facets: Readonly<Record<SearchFacet, Facet>> = {
    subjectAbbreviation: createFacet(),
    semesterSeason: createFacet(),
    classSchedule: createFacet(),
  };
  const intern = createClassInterner();
  const matcher = createQueryMatcher({
    dictionary,
    codes,
    countNameTerms: (doc) => nameLengths[doc] ?? 0,
    getDocLimit: () => classes.length,
  });
  const fallback = createFallbackMatcher({
    dictionary,
    codes,
    shortForms,
    matcher,
    listDocs: () => docNumbers.all(),
    getDocBegin: (doc) => begins[doc] ?? -1,
    findDocClass: (doc) => classes[doc] ?? null,
    findBestDoc: (docs) => docs.reduce((bestDoc, doc) => (isBetter(doc, bestDoc) ? doc : bestDoc)),
  });

  function add(indexedClass: Class): void {
    const doc = docNumbers.add(indexedClass.classId);
    classes[doc] = indexedClass;
    memberCounts[doc] = indexedClass.memberCount;
    sortKeys[doc] = toCodeSortKey(indexedClass);
    nameLengths[doc] = countNameTerms(indexedClass);
    begins[doc] = parseMinutes(indexedClass.beginClassTime);
    visitTerms(indexedClass, (term, place) => dictionary.add(term, doc, place));
    codes.add(doc, indexedClass);
    for (const name of searchFacets) facets[name].set(doc, toFacetValues(indexedClass, name));
  }

  function remove(classId: string): void {
    const doc = docNumbers.remove(classId);
    const indexedClass = doc === undefined ? null : classes[doc];
    if (doc === undefined || !indexedClass) return;
    visitTerms(indexedClass, (term) => dictionary.remove(term, doc));
    codes.remove(doc, indexedClass);
    classes[doc] = null;
  }

  /** Orders by member count, largest first, then by course code. */
  function isBigger(a: number, b: number): boolean {
    const countDifference = (memberCounts[a] as number) - (memberCounts[b] as number);
    if (countDifference !== 0) return countDifference > 0;
    const keyDifference = (sortKeys[a] as number) - (sortKeys[b] as number);
    if (keyDifference !== 0) return keyDifference < 0;
    return (classes[a]?.classId ?? '') < (classes[b]?.classId ?? '');
  }

  /** Orders by the scores of the last query. */
  function isBetter(a: number, b: number): boolean {
    const { scores } = matcher;
    const scoreDifference = (scores[a] as number) - (scores[b] as number);
    return scoreDifference === 0 ? isBigger(a, b) : scoreDifference > 0;
  }

  /** Compiles the filter to a test of one document for each list and facet, however many values the list has. */
  function compileFilter(filter: IndexQuery['filter']): DocTest | null {
    if (filter.length === 0) return null;
    const lists = filter.map((values) =>
      Array.from(
        Map.groupBy(values, ({ facet }) => facet),
        ([name, ofFacet]) => ({
          groupOf: facets[name].groupByDoc,
          matches: facets[name].matchGroups(ofFacet.map(({ value }) => value)),
        }),
      ),
    );
    return (doc) =>
      lists.every((list) =>
        list.some(({ groupOf, matches }) => matches[groupOf[doc] as number] === 1),
      );
  }

  /** Counts and ranks the documents that match the query and pass the filter. */
  function collect(
    { filter, from, count, facets: countedFacets }: IndexQuery,
    matches: QueryMatches | null,
  ): IndexResult {
    const test = compileFilter(filter);
    const topDocs = createTopK(from + count, matches ? isBetter : isBigger);
    const counts = countedFacets.map((name) => {
      const facet = facets[name];
      const { groupByDoc: groupOf, groupCount } = facet;
      return { name, facet, groupOf, perGroup: new Uint32Array(groupCount) };
    });
    let total = 0;
    const candidates = matches ? matches.docs : docNumbers.all();
    for (let index = 0; index < candidates.length; index++) {
      const doc = candidates[index] as number;
      if (test !== null && !test(doc)) continue;
      total += 1;
      topDocs.offer(doc);
      for (const { groupOf, perGroup } of counts) {
        const group = groupOf[doc] as number;
        perGroup[group] = (perGroup[group] as number) + 1;
      }
    }
    return {
      total,
      classes: topDocs
        .take()
        .slice(from)
        .map((doc) => classes[doc] ?? null)
        .filter((foundClass) => foundClass !== null),
      facets: new Map(
        counts.map(({ name, facet, perGroup }) => [name, facet.countValues(perGroup)]),
      ),
      terms: (matches?.terms ?? []).map((term) => ({
        text: term.text,
        prefix: term.prefix,
        fuzzy: matches?.fuzzy.get(term) ?? new Set(),
      })),
      rewritten: matches?.rewritten ?? null,
    };
  }

  return {
    put(newClass) {
      const indexedClass = intern(newClass);
      const doc = docNumbers.get(indexedClass.classId);
      const currentClass = doc === undefined ? null : classes[doc];
      if (doc !== undefined && currentClass && isEqualExceptCount(currentClass, indexedClass)) {
        classes[doc] = indexedClass;
        memberCounts[doc] = indexedClass.memberCount;
        return;
      }
      remove(indexedClass.classId);
      add(indexedClass);
    },
    remove,
    ids: () => docNumbers.ids(),
    find(query) {
      const isListing = toQueryTerms(query.text).length === 0;
      return collect(query, isListing ? null : fallback.match(query.text));
    },
  };
}

/** Subjects are stored as typed but counted in upper case, as the app shows them. */
function toFacetValues(indexedClass: Class, name: SearchFacet): readonly string[] {
  const value = indexedClass[name];
  if (Array.isArray(value)) return value;
  const text = value?.trim() ?? '';
  if (text === '') return [];
  return [name === 'subjectAbbreviation' ? text.toUpperCase() : text];
}

function isEqualExceptCount(a: Class, b: Class): boolean {
  return JSON.stringify({ ...a, memberCount: 0 }) === JSON.stringify({ ...b, memberCount: 0 });
}

/** @returns -1 if there is no time */
function parseMinutes(time: string | null): number {
  const [, hours, minutes] = /^(\d\d):(\d\d)/.exec(time ?? '') ?? [];
  return hours === undefined ? -1 : Number(hours) * 60 + Number(minutes);
}
