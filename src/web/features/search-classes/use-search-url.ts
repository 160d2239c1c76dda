import { useEffect, useRef } from 'react';
import { useInstantSearch } from 'react-instantsearch';
import { useSearchParams } from 'react-router';
import { fromParams, toParams } from './search-url.ts';

/** Keeps the URL and the search alike, so that Back, a reload and a link come to the same results. */
export function useSearchUrl(): void {
  const { indexUiState, setIndexUiState } = useInstantSearch();
  const [params, setParams] = useSearchParams();
  const searched = toParams(indexUiState).toString();
  const asked = params.toString();
  /** The URL as it was when the two were last alike. */
  const agreed = useRef(asked);
  useEffect(() => {
    if (asked !== agreed.current) setIndexUiState(fromParams(params));
    else if (searched !== asked) setParams(searched, { replace: true });
    agreed.current = asked !== agreed.current ? asked : searched;
    // oxlint-disable-next-line react/exhaustive-deps -- the functions are other ones in each render.
  }, [searched, asked]);
}
