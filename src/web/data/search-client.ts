import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { InstantSearchProps } from 'react-instantsearch';
import { useMemo } from 'react';
import type { CallReply } from '#contract/http.ts';
import { searchIndexName } from '#contract/search-index.ts';
import { call } from '#web/api.ts';
import { site } from '#web/site.ts';

/** One request of Algolia's query call, in InstantSearch's shape. */
export interface SearchRequest {
  indexName: string;
  params?: object;
}

export type Answer = CallReply<'searchClasses'>;
export type Ask = (requests: readonly SearchRequest[]) => Promise<Answer>;
export type SearchClient = InstantSearchProps['searchClient'] & { search: Ask };

const searchKey = 'search';

/** Queries the index of this server. */
const askServer: Ask = (requests) =>
  call('searchClasses', {
    body: { requests: requests.map(({ params }) => ({ ...params, indexName: searchIndexName })) },
  });

const askHosted: Ask = async (requests) => {
  const { askAlgolia } = await import('#web/data/hosted-search.ts');
  return askAlgolia(requests);
};

/** The search client for InstantSearch. It caches recent answers and retries once if no response arrives. */
function createSearchClient(client: QueryClient): SearchClient {
  const ask = site.searchApplication ? askHosted : askServer;
  return {
    search: (requests: readonly SearchRequest[]) =>
      client.fetchQuery({ queryKey: [searchKey, requests], queryFn: () => ask(requests) }),
    clearCache: async () => forgetAnswers(client),
  } as SearchClient;
}

export function useSearchClient(): SearchClient {
  const client = useQueryClient();
  return useMemo(() => createSearchClient(client), [client]);
}

/** Clears cached answers after member counts change. */
export function forgetAnswers(client: QueryClient): void {
  client.removeQueries({ queryKey: [searchKey] });
}
