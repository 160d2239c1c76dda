import type { QueryClient } from '@tanstack/react-query';
import { searchIndexName } from '#contract/class-fields.ts';
import type { SearchResult } from '#contract/class-search.ts';
import { call } from '#web/api.ts';
import { site } from '#web/site.ts';

/** One request of Algolia's query call. */
export interface SearchRequest {
  query: string;
  page?: number;
  hitsPerPage: number;
  facets?: readonly string[];
  maxValuesPerFacet?: number;
  /** Several values of one list widen the results; several lists narrow them. */
  facetFilters?: readonly (readonly string[])[];
  highlightPreTag?: string;
  highlightPostTag?: string;
}

export interface SearchReply {
  results: SearchResult[];
}

/** The first part of the key of each cached search. */
export const searchKey = 'search';

/** Queries the index of this server, or the hosted one. One result for each request, in order. */
export async function searchClasses(requests: readonly SearchRequest[]): Promise<SearchReply> {
  const indexed = requests.map((request) => ({ ...request, indexName: searchIndexName }));
  if (!site.searchApplication) {
    return call('searchClasses', { body: { requests: indexed } }) as Promise<SearchReply>;
  }
  const { searchAlgolia } = await import('#web/data/hosted-search.ts');
  return searchAlgolia(indexed);
}

/** Clears cached answers after member counts change. */
export function clearSearchCache(client: QueryClient): void {
  client.removeQueries({ queryKey: [searchKey] });
}
