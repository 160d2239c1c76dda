// What several pages of /admin share.
import { keepPreviousData } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { useCall } from '#web/data/use-call.ts';

export type ClassQuery = NonNullable<CallInput<'listAllClasses'>['query']>;

export function useAllClasses(query: ClassQuery, enabled = true) {
  return useCall('listAllClasses', { query }, { enabled, placeholderData: keepPreviousData });
}
