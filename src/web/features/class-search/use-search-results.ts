import { useRef, useState, useSyncExternalStore } from 'react';
import { useInfiniteHits, useInstantSearch } from 'react-instantsearch';
import type { SearchHit } from '#contract/class-search.ts';
import { toParams } from './use-search-url.ts';
import type { RetryingClient } from './retrying-client.ts';

/** The results, the state of the search and its failure. */
export function useSearchResults({ subscribe, getFailure }: RetryingClient) {
  // Escaping is only needed for innerHTML, which the app does not use.
  const { items, isLastPage, showMore, results } = useInfiniteHits<SearchHit>({
    escapeHTML: false,
  });
  const { status, indexUiState } = useInstantSearch();
  const failure = useSyncExternalStore(subscribe, getFailure);
  const { __isArtificial: awaited = false, nbHits = 0, query = '', parsedQuery } = results ?? {};
  const searched = toParams(indexUiState).toString();
  /** The results for which the next page was last requested. */
  const lastPagedResults = useRef<unknown>(null);
  /** The search for which a further page was last requested. */
  const [pagedSearch, setPagedSearch] = useState<string | null>(null);
  return {
    items,
    /** The number of results on all pages. Null before the first answer. */
    total: results && !awaited ? nbHits : null,
    /** The query that these results answer. A newer query may be in progress. */
    query,
    /** The query that these results match, if no class matches `query`. */
    rewritten: nbHits > 0 ? (parsedQuery ?? null) : null,
    hasMore: !isLastPage,
    showMore() {
      // Each call advances by one page before a render, so a second call would skip a page.
      if (status !== 'idle' || lastPagedResults.current === results) return;
      lastPagedResults.current = results;
      setPagedSearch(searched);
      showMore();
    },
    isLoading: status !== 'idle' && !failure,
    isStalled: status === 'stalled' && !failure,
    failure,
    /** Only the request for a further page failed. */
    hasPagingError: pagedSearch === searched && items.length > 0,
  };
}

export type SearchState = ReturnType<typeof useSearchResults>;
