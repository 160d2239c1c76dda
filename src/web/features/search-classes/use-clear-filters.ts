import { useInstantSearch } from 'react-instantsearch';

/** Whether any filter is chosen, and how to be rid of all of them; the query stays. */
export function useClearFilters() {
  const { indexUiState, setIndexUiState } = useInstantSearch();
  const any = Object.values(indexUiState.refinementList ?? {}).some((values) => values.length > 0);
  const clear = () => setIndexUiState(({ query }) => (query ? { query } : {}));
  return { any, clear };
}
