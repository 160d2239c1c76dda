import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { InstantSearchProps } from 'react-instantsearch';
import { useMemo } from 'react';
import type { CallReply } from '#contract/http.ts';
import type { searchIndexName } from '#contract/search.ts';
import { call } from '#web/api.ts';

export type SearchClient = InstantSearchProps['searchClient'] & {
  search(requests: readonly SearchRequest[]): Promise<Answer>;
};

/** One question of Algolia's query call, as InstantSearch has it. */
export interface SearchRequest {
  indexName: string;
  params?: object;
}

type Answer = CallReply<'searchClasses'>;
type Ask = (requests: readonly SearchRequest[]) => Promise<Answer>;

/** The index of classes on our own server. */
const askServer: Ask = (requests) =>
  call('searchClasses', {
    body: {
      requests: requests.map(({ params }) => ({ ...params, indexName: searchIndex })),
    },
  });

/** Written out: with the contract's own constant zod would come into the bundle. */
export const searchIndex: typeof searchIndexName = 'classSearch';

const searchKey = 'search';

/** What InstantSearch asks with. An answer of a moment ago is given again; a lost one is asked for once more. */
function createSearchClient(client: QueryClient): SearchClient {
  return {
    search: (requests: readonly SearchRequest[]) =>
      client.fetchQuery({ queryKey: [searchKey, requests], queryFn: () => askServer(requests) }),
    clearCache: async () => forgetAnswers(client),
  } as SearchClient;
}

export function useSearchClient(): SearchClient {
  const client = useQueryClient();
  return useMemo(() => createSearchClient(client), [client]);
}

/** Counts have changed. */
export function forgetAnswers(client: QueryClient): void {
  client.removeQueries({ queryKey: [searchKey] });
}
