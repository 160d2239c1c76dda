// The built-in search index: holds every class in memory and finds it by word, course code and facet.
import type { Class } from '#contract/entities.ts';
import { searchFacets, type SearchFacet } from '#contract/class-fields.ts';
import { visitTerms, countNameTerms } from './class-terms.ts';
import { toCodeSortKey, createCourseCodes } from './course-codes.ts';
import { createDocNumbers } from './doc-numbers.ts';
import { createFacet, type Facet } from './facet.ts';
import type { HighlightTerm } from './highlight.ts';
import { createClassInterner } from './interner.ts';
import { QueryMatcher } from './query-matcher.ts';
import { toQueryTerms } from './query-terms.ts';
import { FallbackMatcher, type QueryMatches } from './rewrite/fallback-matcher.ts';
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

type DocTest = (doc: number) => boolean;

export class ClassIndex {
  readonly #shortForms: ShortForms;
  readonly #docNumbers = createDocNumbers();
  /** Classes by document number, like the next four. */
  readonly #classes: (Class | null)[] = [];
  readonly #memberCounts: number[] = [];
  readonly #sortKeys: number[] = [];
  readonly #nameLengths: number[] = [];
  readonly #begins: number[] = [];
  readonly #dictionary = createTermDictionary();
  readonly #codes = createCourseCodes();
  readonly #facets: Readonly<Record<SearchFacet, Facet>> = {
    subjectAbbreviation: createFacet(),
    semesterSeason: createFacet(),
    classSchedule: createFacet(),
  };
  readonly #intern = createClassInterner();
  readonly #matcher: QueryMatcher;
  readonly #fallback: FallbackMatcher;

  constructor(shortForms: ShortForms) {
    this.#shortForms = shortForms;
    this.#matcher = new QueryMatcher({
      dictionary: this.#dictionary,
      codes: this.#codes,
      countNameTerms: (doc) => this.#nameLengths[doc] ?? 0,
      getDocLimit: () => this.#classes.length,
    });
    this.#fallback = new FallbackMatcher({
      dictionary: this.#dictionary,
      codes: this.#codes,
      shortForms: this.#shortForms,
      matcher: this.#matcher,
      listDocs: () => this.#docNumbers.all(),
      getDocBegin: (doc) => this.#begins[doc] ?? -1,
      findDocClass: (doc) => this.#classes[doc] ?? null,
      findBestDoc: (docs) =>
        docs.reduce((bestDoc, doc) => (this.#isBetter(doc, bestDoc) ? doc : bestDoc)),
    });
  }

  /** Adds or replaces the class. */
  put(newClass: Class): void {
    const indexedClass = this.#intern(newClass);
    const doc = this.#docNumbers.get(indexedClass.classId);
    const currentClass = doc === undefined ? null : this.#classes[doc];
    if (doc !== undefined && currentClass && isEqualExceptCount(currentClass, indexedClass)) {
      this.#classes[doc] = indexedClass;
      this.#memberCounts[doc] = indexedClass.memberCount;
      return;
    }
    this.remove(indexedClass.classId);
    this.#add(indexedClass);
  }

  remove(classId: string): void {
    const doc = this.#docNumbers.remove(classId);
    const indexedClass = doc === undefined ? null : this.#classes[doc];
    if (doc === undefined || !indexedClass) return;
    visitTerms(indexedClass, (term) => this.#dictionary.remove(term, doc));
    this.#codes.remove(doc, indexedClass);
    this.#classes[doc] = null;
  }

  find(query: IndexQuery): IndexResult {
    const isListing = toQueryTerms(query.text).length === 0;
    return this.#collect(query, isListing ? null : this.#fallback.match(query.text));
  }

  /** The ids of all indexed classes. */
  ids(): Iterable<string> {
    return this.#docNumbers.ids();
  }

  #add(indexedClass: Class): void {
    const doc = this.#docNumbers.add(indexedClass.classId);
    this.#classes[doc] = indexedClass;
    this.#memberCounts[doc] = indexedClass.memberCount;
    this.#sortKeys[doc] = toCodeSortKey(indexedClass);
    this.#nameLengths[doc] = countNameTerms(indexedClass);
    this.#begins[doc] = parseMinutes(indexedClass.beginClassTime);
    visitTerms(indexedClass, (term, place) => this.#dictionary.add(term, doc, place));
    this.#codes.add(doc, indexedClass);
    for (const name of searchFacets) this.#facets[name].set(doc, toFacetValues(indexedClass, name));
  }

  /** Orders by member count, largest first, then by course code. */
  #isBigger(a: number, b: number): boolean {
    const countDifference = (this.#memberCounts[a] as number) - (this.#memberCounts[b] as number);
    if (countDifference !== 0) return countDifference > 0;
    const keyDifference = (this.#sortKeys[a] as number) - (this.#sortKeys[b] as number);
    if (keyDifference !== 0) return keyDifference < 0;
    return (this.#classes[a]?.classId ?? '') < (this.#classes[b]?.classId ?? '');
  }

  /** Orders by the scores of the last query. */
  #isBetter(a: number, b: number): boolean {
    const { scores } = this.#matcher;
    const scoreDifference = (scores[a] as number) - (scores[b] as number);
    return scoreDifference === 0 ? this.#isBigger(a, b) : scoreDifference > 0;
  }

  /** Compiles the filter to a test of one document for each list and facet, however many values the list has. */
  #compileFilter(filter: IndexQuery['filter']): DocTest | null {
    if (filter.length === 0) return null;
    const lists = filter.map((values) =>
      Array.from(
        Map.groupBy(values, ({ facet }) => facet),
        ([name, ofFacet]) => ({
          groupOf: this.#facets[name].groupByDoc,
          matches: this.#facets[name].matchGroups(ofFacet.map(({ value }) => value)),
        }),
      ),
    );
    return (doc) =>
      lists.every((list) =>
        list.some(({ groupOf, matches }) => matches[groupOf[doc] as number] === 1),
      );
  }

  /** Counts and ranks the documents that match the query and pass the filter. */
  #collect(
    { filter, from, count, facets: countedFacets }: IndexQuery,
    matches: QueryMatches | null,
  ): IndexResult {
    const test = this.#compileFilter(filter);
    const topDocs = createTopK(
      from + count,
      matches ? (a, b) => this.#isBetter(a, b) : (a, b) => this.#isBigger(a, b),
    );
    const counts = countedFacets.map((name) => {
      const facet = this.#facets[name];
      const { groupByDoc: groupOf, groupCount } = facet;
      return { name, facet, groupOf, perGroup: new Uint32Array(groupCount) };
    });
    let total = 0;
    const candidates = matches ? matches.docs : this.#docNumbers.all();
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
        .map((doc) => this.#classes[doc] ?? null)
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
