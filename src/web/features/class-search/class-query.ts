import { useMemo } from 'react';
import { useNavigate } from 'react-router';
import { limits } from '#contract/limits.ts';
import { useSearchParams } from '#web/ui/navigation.tsx';
import { type Choice, type ClassFilter, classFilters } from './filter-choices.ts';

/** The selected values of each filter. */
export type Filters = Partial<Record<ClassFilter['attribute'], readonly string[]>>;

/** What the member searches for. It is stored only in the page's address. */
export interface ClassQuery {
  query: string;
  filters: Filters;
}

export function toParams({ query, filters }: ClassQuery): URLSearchParams {
  const params = new URLSearchParams();
  if (query) params.set('q', query);
  for (const { attribute, param } of classFilters) {
    for (const value of filters[attribute] ?? []) params.append(param, value);
  }
  return params;
}

export function parseParams(params: URLSearchParams): ClassQuery {
  const query = (params.get('q') ?? '').slice(0, limits.searchQuery);
  const lists = classFilters
    .map(({ attribute, param }) => [attribute, params.getAll(param)] as const)
    .filter(([, values]) => values.length > 0);
  return { query, filters: Object.fromEntries(lists) };
}

/** The query in the page's address, and functions that change it. Back, reload and links restore it. */
export function useClassQuery() {
  const params = useSearchParams();
  const navigate = useNavigate();
  const classQuery = useMemo(() => parseParams(params), [params]);

  const change = (toNext: (currentQuery: ClassQuery) => ClassQuery) => {
    // Reads the address, because two changes can come before the next render.
    const next = toNext(parseParams(new URLSearchParams(location.search)));
    void navigate(`?${toParams(next).toString()}`, { replace: true });
  };

  return {
    currentQuery: classQuery,
    hasFilters: Object.keys(classQuery.filters).length > 0,
    setQuery: (query: string) => change(({ filters }) => ({ query, filters })),
    /** Selects or deselects all spellings of a choice. */
    toggle({ attribute }: ClassFilter, { values, chosen }: Choice) {
      change(({ query, filters }) => {
        const otherValues = (filters[attribute] ?? []).filter((value) => !values.includes(value));
        const selectedValues = chosen ? otherValues : [...otherValues, ...values];
        return { query, filters: { ...filters, [attribute]: selectedValues } };
      });
    },
    clearFilters: () => change(({ query }) => ({ query, filters: {} })),
  };
}
