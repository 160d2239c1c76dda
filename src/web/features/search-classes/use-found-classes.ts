import { useRef, useState, useSyncExternalStore } from 'react';
import { useInfiniteHits, useInstantSearch } from 'react-instantsearch';
import type { SearchHit } from '#contract/search.ts';
import { toParams } from './use-search-url.ts';
import type { RetryingClient } from './retrying-client.ts';

/** The results, the state of the search and its failure. */
export function useFoundClasses({ subscribe, getFailure }: RetryingClient) {
  // Escaping is only needed for innerHTML, which the app does not use.
  const { items, isLastPage, showMore, results } = useInfiniteHits<SearchHit>({
    escapeHTML: false,
  });
  const { status, indexUiState } = useInstantSearch();
  const failure = useSyncExternalStore(subscribe, getFailure);
  const { __isArtificial: awaited = false, nbHits = 0, query = '' } = results ?? {};
  const searched = toParams(indexUiState).toString();
  /** The results for which the next page was last requested. */
  const wentOnFrom = useRef<unknown>(null);
  /** The search for which a further page was last requested. */
  const [furtherOf, setFurtherOf] = useState<string | null>(null);
  return {
    items,
    /** The number of results on all pages. Null before the first answer. */
    total: results && !awaited ? nbHits : null,
    /** The query that these results answer. A newer query may be in progress. */
    query,
    hasMore: !isLastPage,
    showMore() {
      // Each call advances by one page before a render, so a second call would skip a page.
      if (status !== 'idle' || wentOnFrom.current === results) return;
      wentOnFrom.current = results;
      setFurtherOf(searched);
      showMore();
    },
    waiting: status !== 'idle' && !failure,
    stalled: status === 'stalled' && !failure,
    failure,
    /** Only the request for a further page failed. */
    onlyMoreFailed: furtherOf === searched && items.length > 0,
  };
}

export type FoundClasses = ReturnType<typeof useFoundClasses>;
