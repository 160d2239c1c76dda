import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { searchStalledMs } from '#contract/limits.ts';
import { searchClasses, searchKey } from '#web/data/search-client.ts';
import { type ClassQuery, toParams } from './class-query.ts';
import { toFacetCounts, toRequests } from './search-requests.ts';

/** The failure of the last search or of its next page. */
export interface SearchFailure {
  error: Error;
  /** A retry is in progress. */
  isRetrying: boolean;
  retry(): void;
}

/** The results, the state of the search and its failure. While a search runs, the results are the previous ones. */
export function useSearchResults(classQuery: ClassQuery) {
  const key = toParams(classQuery).toString();
  const searchQuery = useInfiniteQuery({
    queryKey: [searchKey, key],
    queryFn: ({ pageParam }) => searchClasses(toRequests(classQuery, pageParam)),
    initialPageParam: 0,
    getNextPageParam: ({ results: [first] }, _pages, page) =>
      page + 1 < (first?.nbPages ?? 0) ? page + 1 : undefined,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  const { data, isFetching, hasNextPage, isFetchNextPageError } = searchQuery;
  // TanStack Query clears the error when a retry starts. The screen shows the last one until the retry ends.
  const [lastError, setLastError] = useState<{ key: string; error: Error } | null>(null);
  if (searchQuery.error && searchQuery.error !== lastError?.error) {
    setLastError({ key, error: searchQuery.error });
  }
  const isRetryingLastError =
    isFetching && searchQuery.errorUpdateCount > 0 && lastError?.key === key;
  const error = searchQuery.error ?? (isRetryingLastError ? lastError.error : null);
  const failure: SearchFailure | null = error && {
    error,
    isRetrying: isFetching,
    retry() {
      if (!isFetching) {
        void (isFetchNextPageError ? searchQuery.fetchNextPage() : searchQuery.refetch());
      }
    },
  };
  const isStalled = useIsTrueForLongerThan(isFetching && !failure, searchStalledMs);
  const [first] = data?.pages[0]?.results ?? [];
  return {
    items: data?.pages.flatMap(({ results }) => results[0]?.hits ?? []) ?? [],
    /** The number of results on all pages. Null before the first answer. */
    total: first?.nbHits ?? null,
    /** The query that these results answer. A newer query may be in progress. */
    query: first?.query ?? '',
    /** The query that these results match, if no class matches `query`. */
    rewrittenQuery: first?.nbHits ? (first.parsedQuery ?? null) : null,
    facetCounts: data?.pages[0] ? toFacetCounts(data.pages[0]) : {},
    hasMore: hasNextPage,
    showMore() {
      if (!isFetching) void searchQuery.fetchNextPage();
    },
    isLoading: isFetching && !failure,
    isStalled,
    failure,
    /** Only the request for a further page failed. */
    hasPagingError: isFetchNextPageError,
  };
}

export type SearchState = ReturnType<typeof useSearchResults>;

/** Whether `waiting` has been true for longer than `ms` milliseconds. */
function useIsTrueForLongerThan(waiting: boolean, ms: number): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!waiting) return undefined;
    const timer = setTimeout(() => setLong(true), ms);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [waiting, ms]);
  return waiting && isLong;
}
