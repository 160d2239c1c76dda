import { useRef, useState, useSyncExternalStore } from 'react';
import { useInfiniteHits, useInstantSearch } from 'react-instantsearch';
import type { SearchHit } from '#contract/search.ts';
import { toParams } from './use-search-url.ts';
import type { RetryingClient } from './retrying-client.ts';

/** What was found, what is asked for, and what went wrong with it. */
export function useFoundClasses({ subscribe, getFailure }: RetryingClient) {
  // Escaped it would be for innerHTML, which is not used.
  const { items, isLastPage, showMore, results } = useInfiniteHits<SearchHit>({
    escapeHTML: false,
  });
  const { status, indexUiState } = useInstantSearch();
  const failure = useSyncExternalStore(subscribe, getFailure);
  const { __isArtificial: awaited = false, nbHits = 0, query = '' } = results ?? {};
  const searched = toParams(indexUiState).toString();
  /** The last answer that a further page was asked for. */
  const wentOnFrom = useRef<unknown>(null);
  /** Which search was last asked for a further page. */
  const [furtherOf, setFurtherOf] = useState<string | null>(null);
  return {
    items,
    /** Of all pages; null until there was an answer. */
    total: results && !awaited ? nbHits : null,
    /** What it was the answer to: another one may be asked already. */
    query,
    hasMore: !isLastPage,
    showMore() {
      // Each call goes on by a page, before anything of it is rendered: a second one would leave one out.
      if (status !== 'idle' || wentOnFrom.current === results) return;
      wentOnFrom.current = results;
      setFurtherOf(searched);
      showMore();
    },
    waiting: status !== 'idle' && !failure,
    stalled: status === 'stalled' && !failure,
    failure,
    /** Only a further page is missing. */
    onlyMoreFailed: furtherOf === searched && items.length > 0,
  };
}

export type FoundClasses = ReturnType<typeof useFoundClasses>;
