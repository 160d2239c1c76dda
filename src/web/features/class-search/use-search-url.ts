import { useEffect, useRef } from 'react';
import { useInstantSearch } from 'react-instantsearch';
import { useNavigate } from 'react-router';
import { limits } from '#contract/limits.ts';
import { useSearchParams } from '#web/ui/navigation.tsx';
import { classFilters } from './filter-choices.ts';

/** Keeps the URL and the search state in sync, so that Back, reload and links restore the results. */
export function useSearchUrl(): void {
  const { indexUiState, setIndexUiState } = useInstantSearch();
  const params = useSearchParams();
  const navigate = useNavigate();
  const stateQuery = toParams(indexUiState).toString();
  const urlQuery = params.toString();
  /** The URL at the last sync. */
  const syncedUrl = useRef(urlQuery);
  useEffect(() => {
    if (urlQuery !== syncedUrl.current) setIndexUiState(fromParams(params));
    else if (stateQuery !== urlQuery) void navigate(`?${stateQuery}`, { replace: true });
    syncedUrl.current = urlQuery !== syncedUrl.current ? urlQuery : stateQuery;
    // oxlint-disable-next-line react/exhaustive-deps -- the functions are new in each render.
  }, [stateQuery, urlQuery]);
}

type IndexUiState = ReturnType<typeof useInstantSearch>['indexUiState'];

/** The search state as URL parameters. */
export function toParams({ query, refinementList = {} }: IndexUiState): URLSearchParams {
  const params = new URLSearchParams();
  if (query) params.set('q', query);
  for (const { attribute, param } of classFilters) {
    for (const value of refinementList[attribute] ?? []) params.append(param, value);
  }
  return params;
}

export function fromParams(params: URLSearchParams): IndexUiState {
  const query = (params.get('q') ?? '').slice(0, limits.searchQuery);
  const lists = classFilters
    .map(({ attribute, param }) => [attribute, params.getAll(param)] as const)
    .filter(([, values]) => values.length > 0);
  return {
    ...(query && { query }),
    ...(lists.length > 0 && { refinementList: Object.fromEntries(lists) }),
  };
}
