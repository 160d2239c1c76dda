// Carries out one request of the search call.
import type { Class } from '#contract/entities.ts';
import {
  searchLimits,
  type Highlight,
  type ParsedSearchRequest,
  type SearchHit,
  type SearchResult,
} from '#contract/class-search.ts';
import { type SearchFacet, searchIndexName } from '#contract/class-fields.ts';
import type { ClassIndex, FacetValue } from './class-index.ts';
import { searchedFields } from './class-terms.ts';
import { highlight } from './highlight.ts';

export function findHits(
  index: Pick<ClassIndex, 'find'>,
  request: ParsedSearchRequest,
): SearchResult {
  const startedAt = performance.now();
  const { query, page, hitsPerPage, facetFilters, maxValuesPerFacet } = request;
  const facets = [request.facets].flat();
  const from = Math.min(page * hitsPerPage, searchLimits.depth);
  const result = index.find({
    text: query,
    filter: facetFilters.map((list) => list.map(toFacetValue)),
    from,
    count: Math.min(hitsPerPage, searchLimits.depth - from),
    facets,
  });
  const tags = { pre: request.highlightPreTag, post: request.highlightPostTag };
  const counts = Array.from(result.facets, ([facet, values]) => [
    facet,
    Object.fromEntries(values.slice(0, maxValuesPerFacet)),
  ]);
  const reachable = Math.min(result.total, searchLimits.depth);
  return {
    index: searchIndexName,
    hits: result.classes.map((one) => toHit(one, (text) => highlight(text, result.terms, tags))),
    nbHits: result.total,
    page,
    nbPages: hitsPerPage === 0 ? 0 : Math.ceil(reachable / hitsPerPage),
    hitsPerPage,
    query,
    ...(result.rewritten !== null && { parsedQuery: result.rewritten }),
    ...(facets.length > 0 && { facets: Object.fromEntries(counts) as SearchResult['facets'] }),
    processingTimeMS: Math.round(performance.now() - startedAt),
  };
}

/** Reads `facet:value`. A backslash before a minus makes the minus a part of the value. */
function toFacetValue(text: string): FacetValue {
  const colon = text.indexOf(':');
  return {
    facet: text.slice(0, colon) as SearchFacet,
    value: text.slice(colon + 1).replace(/^\\-/, '-'),
  };
}

function toHit(one: Class, mark: (text: string) => Highlight): SearchHit {
  const { classId, ended: _, ...fields } = one;
  const highlights = searchedFields.flatMap((name) => {
    const value = fields[name];
    if (value === null) return [];
    return [[name, typeof value === 'string' ? mark(value) : value.map(mark)]];
  });
  return { ...fields, objectID: classId, _highlightResult: Object.fromEntries(highlights) };
}
