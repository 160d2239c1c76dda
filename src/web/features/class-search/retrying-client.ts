import type { Search } from '#web/data/hosted-search.ts';
import type { SearchClient } from '#web/data/search-client.ts';

/** The failure of the last search. */
export interface SearchFailure {
  error: unknown;
  /** A retry is in progress. */
  isRetrying: boolean;
  retry(): void;
}

export interface RetryingClient {
  client: SearchClient;
  subscribe(listener: () => void): () => void;
  /** Null if the last search succeeded or is in progress. */
  getFailure(): SearchFailure | null;
}

/**
 * Hides failures from InstantSearch, which would revert to the last successful search and discard the typed
 * query. A failed search stays pending until a retry succeeds or another search replaces it.
 */
export function createRetryingClient(client: SearchClient): RetryingClient {
  const listeners = new Set<() => void>();
  let failure: SearchFailure | null = null;
  let latestSearchId = 0;
  const setFailure = (next: SearchFailure | null) => {
    if (next === failure) return;
    failure = next;
    for (const listener of listeners) listener();
  };

  const search: Search = (requests) => {
    latestSearchId += 1;
    const searchId = latestSearchId;
    setFailure(null);
    return new Promise((resolve) => {
      const ask = async () => {
        try {
          const answer = await client.search(requests);
          if (searchId === latestSearchId) setFailure(null);
          resolve(answer);
        } catch (error) {
          if (searchId === latestSearchId)
            setFailure({ error, isRetrying: false, retry: () => again(error) });
        }
      };
      const again = (error: unknown) => {
        if (searchId !== latestSearchId || failure?.isRetrying) return;
        setFailure({ error, isRetrying: true, retry: () => {} });
        void ask();
      };
      void ask();
    });
  };

  return {
    client: { ...client, search } as SearchClient,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getFailure: () => failure,
  };
}
