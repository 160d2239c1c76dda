import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { SearchHit, SearchResult } from '#contract/search.ts';
import { call } from '#web/api.ts';

type SearchPage = SearchResult & { hits: SearchHit[] };

async function searchPage(query: string, page: number): Promise<SearchPage> {
  const requests = [{ indexName: 'classSearch' as const, query, page }];
  const { results } = await call('searchClasses', { body: { requests } });
  const result = results[0];
  if (!result || !('hits' in result)) throw new Error('The search answered nothing.');
  return result as SearchPage;
}

/** Classes that match; an empty query lists those with most members. */
export function useSearch(query: string) {
  return useInfiniteQuery({
    queryKey: ['search', query],
    queryFn: ({ pageParam }) => searchPage(query, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ page, nbPages }) => (page + 1 < nbPages ? page + 1 : undefined),
    placeholderData: keepPreviousData,
  });
}
