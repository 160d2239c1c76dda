import type { useInstantSearch } from 'react-instantsearch';
import { limits } from '#contract/limits.ts';
import { classFilters } from './class-filters.ts';

type IndexUiState = ReturnType<typeof useInstantSearch>['indexUiState'];

/** What is searched for, as it stands in the URL. */
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
