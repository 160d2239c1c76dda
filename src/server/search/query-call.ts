// Answers Algolia's multi-query call: several requests, one result each, in the shapes that Algolia
// documents.
import type { Class } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import type { Highlight, SearchHit } from '#contract/search.ts';
import { searchIndexName, type SearchFacet } from '#contract/search-index.ts';
import type { ClassIndex, Finding } from './class-index.ts';
import { highlight } from './highlight.ts';
import { readQuery, type Query } from './query.ts';
import { QueryError } from './query-error.ts';
import { queryWordsOf } from './query-words.ts';

type Index = Pick<ClassIndex, 'find'>;
type Result = CallReply<'searchClasses'>['results'][number];

const maxRequests = 10;
/** The deepest hit that paging can reach. This is Algolia's default. */
const maxHits = 1000;

/** @throws {QueryError} */
export function requestsIn(body: unknown): unknown[] {
  const requests: unknown = (body as { requests?: unknown } | null)?.requests;
  if (!Array.isArray(requests) || requests.length === 0) {
    throw new QueryError('Invalid value for "requests", expected a list of queries');
  }
  if (requests.length > maxRequests) {
    throw new QueryError(`Too many requests, expected at most ${maxRequests}`);
  }
  return requests;
}

/** @throws {QueryError} */
export function answerQueries(
  index: Index,
  requests: readonly unknown[],
): CallReply<'searchClasses'> {
  return { results: requests.map(readQuery).map((query) => answer(index, query)) };
}

function answer(index: Index, query: Query): Result {
  return query.facetValues
    ? answerFacetValues(index, query, query.facetValues)
    : answerHits(index, query);
}

function answerHits(index: Index, query: Query): Result {
  const started = performance.now();
  const { page, hitsPerPage } = query;
  const from = page * hitsPerPage;
  const count = Math.max(0, Math.min(hitsPerPage, maxHits - from));
  const finding = index.find({ ...query, from: Math.min(from, maxHits), count });
  const counted = query.facets.length > 0;
  const pages = hitsPerPage === 0 ? 0 : Math.min(finding.total, maxHits) / hitsPerPage;
  return {
    index: searchIndexName,
    hits: finding.classes.map((one) => toHit(one, query, finding)),
    nbHits: finding.total,
    page,
    nbPages: Math.ceil(pages),
    hitsPerPage,
    query: query.text,
    params: query.params,
    ...(counted
      ? { facets: facetsOf(finding, query.maxValuesPerFacet), exhaustiveFacetsCount: true }
      : {}),
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    exhaustive: { nbHits: true, typo: true, ...(counted ? { facetsCount: true } : {}) },
    processingTimeMS: Math.round(performance.now() - started),
  };
}

function facetsOf({ facets }: Finding, most: number) {
  const shown: Partial<Record<SearchFacet, Record<string, number>>> = {};
  for (const [name, counts] of facets) shown[name] = Object.fromEntries(counts.slice(0, most));
  return shown;
}

function answerFacetValues(
  index: Index,
  query: Query,
  { facet, query: typed, most }: NonNullable<Query['facetValues']>,
): Result {
  const started = performance.now();
  const finding = index.find({ ...query, from: 0, count: 0, facets: [facet] });
  const wanted = queryWordsOf(typed);
  const sought = wanted.map(({ text }) => ({ text, prefix: true, near: new Set<string>() }));
  const hits = (finding.facets.get(facet) ?? [])
    .map(([value, count]) => ({ value, count, mark: highlight(value, sought, query.tags) }))
    .filter(({ mark }) => wanted.length === 0 || mark.matchLevel === 'full')
    .slice(0, most);
  return {
    index: searchIndexName,
    facetHits: hits.map(({ value, count, mark }) => ({ value, highlighted: mark.value, count })),
    exhaustiveFacetsCount: true,
    processingTimeMS: Math.round(performance.now() - started),
  };
}

function toHit(one: Class, query: Query, finding: Finding): SearchHit {
  const { classId, ended: _, ...all } = one;
  const kept = Object.entries(all).filter(([name]) => query.retrieves(name));
  return {
    ...Object.fromEntries(kept),
    objectID: classId,
    ...(query.highlights.length > 0 ? { _highlightResult: highlightsOf(all, query, finding) } : {}),
  } as SearchHit;
}

function highlightsOf(
  one: Omit<Class, 'classId' | 'ended'>,
  { highlights, tags }: Query,
  { sought }: Finding,
): NonNullable<SearchHit['_highlightResult']> {
  const marked: Record<string, Highlight | Highlight[]> = {};
  for (const field of highlights) {
    const value = one[field];
    if (typeof value === 'string') marked[field] = highlight(value, sought, tags);
    else if (value) marked[field] = value.map((item) => highlight(item, sought, tags));
  }
  return marked;
}
