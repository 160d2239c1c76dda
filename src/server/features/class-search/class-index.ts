// The built-in search index: holds every class in memory and finds it by word, course code and facet.
import type { Class } from '#contract/entities.ts';
import { searchFacets, type SearchFacet } from '#contract/class-fields.ts';
import { ClassDictionaries } from './class-dictionaries.ts';
import { matchQuery, toHighlightTerms, toRewrittenText } from './class-query.ts';
import { countNameTerms } from './class-terms.ts';
import { toCodeSortKey } from './code-order.ts';
import { createFacet, type Facet } from './facet.ts';
import type { HighlightTerm } from './highlight.ts';
import { createClassInterner } from './interner.ts';
import { MatchBuffers, QueryMatcher } from './query-matcher.ts';
import { readTokens } from './query-pieces.ts';
import type { ShortForms } from './short-forms.ts';

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

export class ClassIndex {
  readonly #shortForms: ShortForms;
  /** Postings refer to a class by its small document number. Numbers of removed classes are used again. */
  readonly #docs = new Map<string, number>();
  readonly #freeDocs: number[] = [];
  readonly #classes: Class[] = [];
  readonly #sortKeys: number[] = [];
  readonly #nameLengths: number[] = [];
  readonly #dictionaries = new ClassDictionaries();
  readonly #facets: Readonly<Record<SearchFacet, Facet>> = {
    subjectAbbreviation: createFacet(),
    semesterSeason: createFacet(),
    classSchedule: createFacet(),
  };
  readonly #intern = createClassInterner();
  #buffers = new MatchBuffers(0);

  constructor(shortForms: ShortForms) {
    this.#shortForms = shortForms;
  }

  /** Adds or replaces the class. */
  put(newClass: Class): void {
    const indexedClass = this.#intern(newClass);
    const doc = this.#docs.get(indexedClass.classId);
    if (doc !== undefined && isEqualExceptCount(this.#getClass(doc), indexedClass)) {
      this.#classes[doc] = indexedClass;
      return;
    }
    this.remove(indexedClass.classId);
    this.#add(indexedClass);
  }

  remove(classId: string): void {
    const doc = this.#docs.get(classId);
    if (doc === undefined) return;
    this.#dictionaries.remove(this.#getClass(doc), doc);
    this.#docs.delete(classId);
    this.#freeDocs.push(doc);
  }

  find(query: IndexQuery): IndexResult {
    const { text } = query;
    if (readTokens(text).length === 0) {
      const page = this.#collect(query, this.#docs.values(), (a, b) => this.#compareSizes(a, b));
      return { ...page, terms: [], rewritten: null };
    }
    const docCount = this.#classes.length;
    if (docCount > this.#buffers.docs.length) this.#buffers = new MatchBuffers(docCount + 1024);
    const createMatcher = () => new QueryMatcher(this.#nameLengths, this.#buffers);
    const matches = matchQuery(text, this.#dictionaries, this.#shortForms, createMatcher);
    if (!matches) return { ...this.#collect(query, [], () => 0), terms: [], rewritten: null };
    const { docs, scores } = matches;
    const compare = (a: number, b: number) =>
      (scores[b] as number) - (scores[a] as number) || this.#compareSizes(a, b);
    // Ignores filters and pages, so that each request about one query gets the same rewrite.
    const bestDoc = docs.reduce((a, b) => (compare(a, b) < 0 ? a : b));
    const best = this.#getClass(bestDoc);
    return {
      ...this.#collect(query, docs, compare),
      terms: toHighlightTerms(matches.listPieces(bestDoc), best),
      rewritten: toRewrittenText(text, matches, bestDoc, best),
    };
  }

  /** The ids of all indexed classes. */
  ids(): Iterable<string> {
    return this.#docs.keys();
  }

  #add(indexedClass: Class): void {
    const doc = this.#freeDocs.pop() ?? this.#classes.length;
    this.#docs.set(indexedClass.classId, doc);
    this.#classes[doc] = indexedClass;
    this.#sortKeys[doc] = toCodeSortKey(indexedClass);
    this.#nameLengths[doc] = countNameTerms(indexedClass);
    this.#dictionaries.add(indexedClass, doc);
    for (const name of searchFacets) this.#facets[name].set(doc, toFacetValues(indexedClass, name));
  }

  #getClass(doc: number): Class {
    return this.#classes[doc] as Class;
  }

  /** Orders by member count, largest first, then by course code. */
  #compareSizes(a: number, b: number): number {
    const first = this.#getClass(a);
    const second = this.#getClass(b);
    return (
      second.memberCount - first.memberCount ||
      (this.#sortKeys[a] as number) - (this.#sortKeys[b] as number) ||
      (first.classId < second.classId ? -1 : 1)
    );
  }

  /** Compiles the filter to a test of one document for each list and facet, however many values the list has. */
  #compileFilter(filter: IndexQuery['filter']): (doc: number) => boolean {
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
      lists.every((list) => list.some(({ groupOf, matches }) => matches[groupOf[doc] as number]));
  }

  /** Counts and ranks the documents that pass the filter. */
  #collect(
    { filter, from, count, facets: countedFacets }: IndexQuery,
    candidates: Iterable<number>,
    compare: (a: number, b: number) => number,
  ): Pick<IndexResult, 'total' | 'classes' | 'facets'> {
    const passes = this.#compileFilter(filter);
    const counts = countedFacets.map((name) => {
      const facet = this.#facets[name];
      const { groupByDoc: groupOf, groupCount } = facet;
      return { name, facet, groupOf, perGroup: new Uint32Array(groupCount) };
    });
    let total = 0;
    const first = new FirstDocs(from + count, compare);
    for (const doc of candidates) {
      if (!passes(doc)) continue;
      total += 1;
      first.offer(doc);
      for (const { groupOf, perGroup } of counts) {
        const group = groupOf[doc] as number;
        perGroup[group] = (perGroup[group] as number) + 1;
      }
    }
    return {
      total,
      classes: first
        .take()
        .slice(from)
        .map((doc) => this.#getClass(doc)),
      facets: new Map(
        counts.map(({ name, facet, perGroup }) => [name, facet.countValues(perGroup)]),
      ),
    };
  }
}

/** Keeps the first documents of an order, without sorting the rest. */
class FirstDocs {
  readonly #count: number;
  readonly #compare: (a: number, b: number) => number;
  #docs: number[] = [];
  /** No document after this one is kept. */
  #last: number | undefined;

  constructor(count: number, compare: (a: number, b: number) => number) {
    this.#count = count;
    this.#compare = compare;
  }

  offer(doc: number): void {
    if (this.#last !== undefined && this.#compare(doc, this.#last) > 0) return;
    this.#docs.push(doc);
    if (this.#docs.length < 2 * this.#count + 100) return;
    this.#docs = this.take();
    this.#last = this.#docs.at(-1);
  }

  take(): number[] {
    return this.#docs.toSorted(this.#compare).slice(0, this.#count);
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
