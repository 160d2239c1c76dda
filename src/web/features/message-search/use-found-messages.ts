import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { type FoundPage as Page, toFoundMessagesKey } from './found-messages-query.ts';

/** The server rejects a query without a letter or digit (FIND-2). */
export const isSearchable = (query: string) => /[\p{Letter}\p{Number}]/u.test(query);

/** The messages of a class that match the query, newest first, page by page. */
export function useFoundMessages(classId: string, query: string) {
  return useInfiniteQuery({
    queryKey: [...toFoundMessagesKey(classId), query],
    queryFn: ({ pageParam }) => findPage(classId, query, pageParam),
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

/** The next page that is not empty: a page of the server can be empty and still have a next one (FIND-6). */
async function findPage(classId: string, query: string, start: number | null): Promise<Page> {
  for (let cursor = start; ;) {
    const page = await call('searchMessages', {
      params: { classId },
      query: { query, ...(cursor !== null && { before: cursor }) },
    });
    if (page.hits.length > 0 || page.nextBefore === null) return page;
    cursor = page.nextBefore;
  }
}
