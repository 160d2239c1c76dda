import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { InstantSearchProps } from 'react-instantsearch';
import { useMemo } from 'react';
import { searchIndexName } from '#contract/class-fields.ts';
import { call } from '#web/api.ts';
import type { Search, SearchRequest } from '#web/data/hosted-search.ts';
import { site } from '#web/site.ts';

export type SearchClient = InstantSearchProps['searchClient'] & { search: Search };

const searchKey = 'search';

/** Queries the index of this server, which checks the parameters of InstantSearch. */
const searchServer: Search = (requests) =>
  call('searchClasses', {
    body: {
      requests: requests.map(({ params }) => ({ ...params, indexName: searchIndexName }) as const),
    },
  });

const searchHosted: Search = async (requests) => {
  const { searchAlgolia } = await import('#web/data/hosted-search.ts');
  return searchAlgolia(requests);
};

/** The search client for InstantSearch. It caches recent answers and retries once if no response arrives. */
function createSearchClient(client: QueryClient): SearchClient {
  const ask = site.searchApplication ? searchHosted : searchServer;
  return {
    search: (requests: readonly SearchRequest[]) =>
      client.fetchQuery({ queryKey: [searchKey, requests], queryFn: () => ask(requests) }),
    clearCache: async () => clearSearchCache(client),
  } as SearchClient;
}

export function useSearchClient(): SearchClient {
  const client = useQueryClient();
  return useMemo(() => createSearchClient(client), [client]);
}

/** Clears cached answers after member counts change. */
export function clearSearchCache(client: QueryClient): void {
  client.removeQueries({ queryKey: [searchKey] });
}
