import { searchIndexName } from '#contract/class-fields.ts';
import type { SearchRequest } from '#contract/class-search.ts';
import { limits } from '#contract/limits.ts';
import type { SearchReply } from '#web/data/search-client.ts';
import type { ClassQuery, Filters } from './class-query.ts';
import { classFilters } from './filter-choices.ts';
import { highlightPostTag, highlightPreTag } from './highlighted-text.tsx';

/** More subjects than any university has. */
const maxValuesPerFacet = 500;

/**
 * The requests for a page of hits and, with the first page, for the number of hits of each filter value. A filter with
 * selected values is counted in a request of its own, without these values: they must not hide the others.
 */
export function toRequests({ query, filters }: ClassQuery, page: number): SearchRequest[] {
  const facetFilters = toFacetFilters(filters);
  const hits: SearchRequest = {
    indexName: searchIndexName,
    query,
    page,
    hitsPerPage: limits.searchHitsPerPage,
    facetFilters,
    highlightPreTag,
    highlightPostTag,
  };
  if (page > 0) return [hits];

  const attributes = classFilters.map(({ attribute }) => attribute);
  const selected = attributes.filter((attribute) => filters[attribute]);
  const facets = attributes.filter((attribute) => !filters[attribute]);
  return [
    { ...hits, facets, maxValuesPerFacet },
    ...selected.map((attribute): SearchRequest => ({
      indexName: searchIndexName,
      query,
      hitsPerPage: 0,
      facets: [attribute],
      maxValuesPerFacet,
      // A hosted index counts each search once.
      analytics: false,
      facetFilters: toFacetFilters({ ...filters, [attribute]: undefined }),
    })),
  ];
}

/** Several values of one list widen the results; several lists narrow them. */
function toFacetFilters(filters: Filters): string[][] {
  return classFilters
    .map(({ attribute }) =>
      // A plain minus means 'not'.
      (filters[attribute] ?? []).map((value) => `${attribute}:${value.replace(/^-/, '\\-')}`),
    )
    .filter((list) => list.length > 0);
}

/** The number of hits of each filter value, by attribute, from the answer to `toRequests` of the first page. */
export function toFacetCounts({ results }: SearchReply) {
  return Object.assign({}, ...results.map(({ facets }) => facets)) as Partial<
    Record<string, Readonly<Record<string, number>>>
  >;
}
