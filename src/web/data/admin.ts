// What several pages of /admin share.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';

export const adminKey = ['admin'];

export type ClassQuery = NonNullable<CallInput<'listAllClasses'>['query']>;

export function useAllClasses(query: ClassQuery, enabled = true) {
  return useQuery({
    enabled,
    queryKey: [...adminKey, 'classes', query],
    queryFn: () => call('listAllClasses', { query }),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
}
