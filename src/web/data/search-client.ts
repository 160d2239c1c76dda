import type { QueryClient } from '@tanstack/react-query';
import type { SearchRequest } from '#contract/class-search.ts';
import type { CallReply } from '#contract/http.ts';
import { call } from '#web/api.ts';
import { site } from '#web/site.ts';

export type SearchReply = CallReply<'searchClasses'>;

/** The first part of the key of each cached search. */
export const searchKey = 'search';

/** Queries the index of this server, or the hosted one. One result for each request, in order. */
export async function searchClasses(requests: SearchRequest[]): Promise<SearchReply> {
  if (!site.searchApplication) return call('searchClasses', { body: { requests } });
  const { searchAlgolia } = await import('#web/data/hosted-search.ts');
  return searchAlgolia(requests);
}

/** Clears cached answers after member counts change. */
export function clearSearchCache(client: QueryClient): void {
  client.removeQueries({ queryKey: [searchKey] });
}
