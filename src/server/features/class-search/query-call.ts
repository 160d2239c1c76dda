// Answers Algolia's search calls in the shapes that Algolia documents.
import { setImmediate } from 'node:timers/promises';
import type { Class } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import type { SearchHit } from '#contract/class-search.ts';
import { searchIndexName, type SearchFacet } from '#contract/class-fields.ts';
import type { ClassIndex, IndexResult } from './class-index.ts';
import { highlight } from './highlight.ts';
import { isObject, Parameters } from './parameters.ts';
import {
  rangeOf,
  readRequest,
  requireIndex,
  retrievesOf,
  type Query,
  type Window,
} from './query.ts';
import { QueryError } from '#server/http/query-error.ts';
import { queryTermsOf } from './query-terms.ts';
import { snippet } from './snippet.ts';

type Index = Pick<ClassIndex, 'find' | 'get'>;
type HitsResult = CallReply<'searchIndex'>;
type FacetResult = CallReply<'searchFacetValues'>;

/** @throws {QueryError} */
export function readRequests(body: unknown): Query[] {
  const { requests, strategy = 'none', ...others } = isObject(body) ? body : {};
  if (!Array.isArray(requests) || requests.length === 0) {
    throw new QueryError('Invalid value for "requests", expected a list of queries');
  }
  if (requests.length > limits.searchRequests) {
    throw new QueryError(`Too many requests, expected at most ${limits.searchRequests}`);
  }
  if (strategy !== 'none') {
    throw new QueryError('Unsupported value for "strategy" parameter. Remove it: all queries run');
  }
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new QueryError(`Unknown parameter: ${unknown.slice(0, 100)}. Remove it from the request`);
  }
  return requests.map(readRequest);
}

export async function answerQueries(
  index: Index,
  queries: readonly Query[],
): Promise<CallReply<'searchClasses'>> {
  const results: CallReply<'searchClasses'>['results'] = [];
  for (const query of queries) {
    // Other callers get their turn between the queries of one call.
    if (results.length > 0) await setImmediate();
    results.push(query.facetValues ? answerFacetValues(index, query) : answerHits(index, query));
  }
  return { results };
}

export function answerHits(index: Index, query: Query): HitsResult {
  const started = performance.now();
  const { facets } = query;
  const result = index.find({ ...query, ...query.advanced, ...rangeOf(query.window) });
  const counted = facets.length > 0;
  return {
    index: searchIndexName,
    hits: result.classes.map((one) => toHit(one, query, result)),
    nbHits: result.total,
    ...positionOf(query.window, result.total),
    query: query.text,
    ...(result.rewritten === null ? {} : { parsedQuery: result.rewritten }),
    params: query.params,
    ...(counted ? { facets: facetsOf(result, query), exhaustiveFacetsCount: true } : {}),
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    exhaustive: { nbHits: true, typo: true, ...(counted ? { facetsCount: true } : {}) },
    processingTimeMS: Math.round(performance.now() - started),
  };
}

function positionOf(window: Window, total: number) {
  const { kind, ...position } = window;
  if (kind === 'offset') return position;
  const { hitsPerPage } = window;
  const pages = hitsPerPage === 0 ? 0 : Math.min(total, limits.searchDepth) / hitsPerPage;
  return { ...position, nbPages: Math.ceil(pages) };
}

function facetsOf({ facets }: IndexResult, query: Query) {
  const shown: Partial<Record<SearchFacet, Record<string, number>>> = {};
  for (const [name, counts] of facets) {
    const sorted = sortValues(counts, query).slice(0, query.maxValuesPerFacet);
    shown[name] = Object.fromEntries(sorted);
  }
  return shown;
}

type Counts = readonly (readonly [value: string, count: number])[];

/** The index returns the most frequent values first. */
function sortValues(counts: Counts, { sortFacetValuesBy }: Query): Counts {
  if (sortFacetValuesBy === 'count') return counts;
  return counts.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** @param query a query with `facetValues` */
export function answerFacetValues(index: Index, query: Query): FacetResult {
  const started = performance.now();
  const { facet, query: typed, most } = query.facetValues as NonNullable<Query['facetValues']>;
  const result = index.find({ ...query, ...query.advanced, from: 0, count: 0, facets: [facet] });
  const wanted = queryTermsOf(typed);
  const sought = wanted.map(({ text }) => ({ text, prefix: true, fuzzy: new Set<string>() }));
  const hits = sortValues(result.facets.get(facet) ?? [], query)
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

/**
 * @param sent the query string of the call
 * @throws {QueryError}
 */
export function answerRecord(
  index: Index,
  { indexName, objectID }: { indexName: string; objectID: string },
  sent: Readonly<Record<string, unknown>>,
): CallReply<'readSearchRecord'> {
  requireIndex(indexName);
  const { attributesToRetrieve, ...others } = sent;
  const unknown = Object.keys(others).find((name) => !/^x-algolia-/i.test(name));
  if (unknown !== undefined) {
    throw new QueryError(`Unknown parameter: ${unknown.slice(0, 100)}. Remove it from the request`);
  }
  const parameters = new Parameters({ attributesToRetrieve });
  const retrieves = retrievesOf(parameters.list('attributesToRetrieve', ['*']));
  const one = index.get(objectID);
  if (!one) throw new QueryError('ObjectID does not exist', 404);
  return toRecord(one, retrieves);
}

type Fields = Omit<Class, 'classId' | 'ended'>;
type Field = Query['highlights'][number];

function toRecord(one: Class, retrieves: Query['retrieves']): SearchHit {
  const { classId, ended: _, ...all } = one;
  const kept = Object.entries(all).filter(([name]) => retrieves(name));
  return { ...Object.fromEntries(kept), objectID: classId } as SearchHit;
}

function toHit(one: Class, query: Query, { terms }: IndexResult): SearchHit {
  const { highlights, snippets, tags } = query;
  const { wordsOf, ellipsis } = snippets;
  const highlightOf = (text: string) => highlight(text, terms, tags);
  const snippetOf = (text: string, field: Field) =>
    snippet(text, terms, { tags, length: wordsOf.get(field) ?? 0, ellipsis });
  return {
    ...toRecord(one, query.retrieves),
    ...(highlights.length > 0
      ? { _highlightResult: marksOf(one, query, highlights, highlightOf) }
      : {}),
    ...(wordsOf.size > 0
      ? { _snippetResult: marksOf(one, query, [...wordsOf.keys()], snippetOf) }
      : {}),
  };
}

/** Marks the matches in each of the fields that the class has. */
function marksOf<Mark extends { matchLevel: string }>(
  one: Fields,
  { matchedItemsOnly }: Query,
  fields: readonly Field[],
  mark: (text: string, field: Field) => Mark,
): Record<string, Mark & Mark[]> {
  const marked: Record<string, Mark | Mark[]> = {};
  for (const field of fields) {
    const value = one[field];
    if (typeof value === 'string') marked[field] = mark(value, field);
    else if (value) {
      const items = value.map((item) => mark(item, field));
      marked[field] = matchedItemsOnly
        ? items.filter(({ matchLevel }) => matchLevel !== 'none')
        : items;
    }
  }
  return marked as Record<string, Mark & Mark[]>;
}
