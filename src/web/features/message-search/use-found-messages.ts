import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { CallInput } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { type FoundPage as Page, toFoundMessagesKey } from './found-messages-query.ts';

/** The server rejects a query without a letter or digit (FIND-2). */
export const isSearchable = (query: string) => /[\p{Letter}\p{Number}]/u.test(query);

/** The messages of a class that match the query, newest first, page by page. */
export function useFoundMessages(classId: string, query: string, topicId: string | null) {
  return useInfiniteQuery({
    queryKey: [...toFoundMessagesKey(classId), query, topicId],
    queryFn: ({ pageParam }) =>
      findPage(classId, { query, ...(topicId !== null && { topicId }) }, pageParam),
    initialPageParam: null as number | null,
    getNextPageParam: (page: Page) => page.nextBefore,
    enabled: isSearchable(query),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
    // The text of a deleted message must not come back from memory.
    staleTime: 0,
    gcTime: 60_000,
  });
}

/**
 * One call reads some 20,000 messages, which is enough while someone types. 'Search older messages' makes up to ten calls until
 * one finds something.
 */
async function findPage(
  classId: string,
  search: CallInput<'searchMessages'>['query'],
  start: number | null,
): Promise<Page> {
  let callsLeft = start === null ? 1 : 10;
  for (let cursor = start; ;) {
    const page = await call('searchMessages', {
      params: { classId },
      query: { ...search, ...(cursor !== null && { before: cursor }) },
    });
    callsLeft -= 1;
    if (page.hits.length > 0 || page.nextBefore === null || callsLeft === 0) return page;
    cursor = page.nextBefore;
  }
}
