// The built-in search index: holds every class in memory and finds it by word, course code and facet.
import type { Class } from '#contract/entities.ts';
import { searchFacets, type SearchFacet } from '#contract/class-fields.ts';
import { forEachTerm, countNameTerms } from './class-terms.ts';
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
  /** For each facet, its values with their counts, most frequent first. */
  facets: ReadonlyMap<SearchFacet, [value: string, count: number][]>;
  /** The query terms with the terms they matched, for highlighting. */
  terms: readonly HighlightTerm[];
  /** The query that these classes match, if none matches the given one. */
  rewritten: string | null;
}

export interface ClassIndex {
  /** Adds or replaces the class. */
  put(one: Class): void;
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
    findBestDoc: (docs) => docs.reduce((best, doc) => (isBetter(doc, best) ? doc : best)),
  });

  function add(one: Class): void {
    const doc = docNumbers.add(one.classId);
    classes[doc] = one;
    memberCounts[doc] = one.memberCount;
    sortKeys[doc] = toCodeSortKey(one);
    nameLengths[doc] = countNameTerms(one);
    begins[doc] = parseMinutes(one.beginClassTime);
    forEachTerm(one, (term, place) => dictionary.add(term, doc, place));
    codes.add(doc, one);
    for (const name of searchFacets) facets[name].set(doc, toFacetValues(one, name));
  }

  function remove(classId: string): void {
    const doc = docNumbers.remove(classId);
    const one = doc === undefined ? null : classes[doc];
    if (doc === undefined || !one) return;
    forEachTerm(one, (term) => dictionary.remove(term, doc));
    codes.remove(doc, one);
    classes[doc] = null;
  }

  /** Orders by member count, largest first, then by course code. */
  function isBigger(a: number, b: number): boolean {
    const more = (memberCounts[a] as number) - (memberCounts[b] as number);
    if (more !== 0) return more > 0;
    const later = (sortKeys[a] as number) - (sortKeys[b] as number);
    if (later !== 0) return later < 0;
    return (classes[a]?.classId ?? '') < (classes[b]?.classId ?? '');
  }

  /** Orders by the scores of the last query. */
  function isBetter(a: number, b: number): boolean {
    const { scores } = matcher;
    const more = (scores[a] as number) - (scores[b] as number);
    return more === 0 ? isBigger(a, b) : more > 0;
  }

  /** Compiles the filter to a test of one document for each list and facet, however many values the list has. */
  function compileFilter(filter: IndexQuery['filter']): DocTest | null {
    if (filter.length === 0) return null;
    const lists = filter.map((values) =>
      Array.from(
        Map.groupBy(values, ({ facet }) => facet),
        ([name, ofFacet]) => ({
          groupOf: facets[name].groupOf,
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
    { filter, from, count, facets: counted }: IndexQuery,
    found: QueryMatches | null,
  ): IndexResult {
    const test = compileFilter(filter);
    const best = createTopK(from + count, found ? isBetter : isBigger);
    const counts = counted.map((name) => {
      const facet = facets[name];
      const { groupOf, groupCount } = facet;
      return { name, facet, groupOf, perGroup: new Uint32Array(groupCount) };
    });
    let total = 0;
    const candidates = found ? found.docs : docNumbers.all();
    for (let at = 0; at < candidates.length; at++) {
      const doc = candidates[at] as number;
      if (test !== null && !test(doc)) continue;
      total += 1;
      best.offer(doc);
      for (const { groupOf, perGroup } of counts) {
        const group = groupOf[doc] as number;
        perGroup[group] = (perGroup[group] as number) + 1;
      }
    }
    return {
      total,
      classes: best
        .take()
        .slice(from)
        .map((doc) => classes[doc] ?? null)
        .filter((one) => one !== null),
      facets: new Map(
        counts.map(({ name, facet, perGroup }) => [name, facet.countValues(perGroup)]),
      ),
      terms: (found?.terms ?? []).map((term) => ({
        text: term.text,
        prefix: term.prefix,
        fuzzy: found?.fuzzy.get(term) ?? new Set(),
      })),
      rewritten: found?.rewritten ?? null,
    };
  }

  return {
    put(given) {
      const one = intern(given);
      const doc = docNumbers.get(one.classId);
      const known = doc === undefined ? null : classes[doc];
      if (doc !== undefined && known && isEqualExceptCount(known, one)) {
        classes[doc] = one;
        memberCounts[doc] = one.memberCount;
        return;
      }
      remove(one.classId);
      add(one);
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
function toFacetValues(one: Class, name: SearchFacet): readonly string[] {
  const value = one[name];
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
