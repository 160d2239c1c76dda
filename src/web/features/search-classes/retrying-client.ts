import type { Ask, SearchClient } from '#web/data/search-client.ts';

/** The failure of the last search. */
export interface SearchFailure {
  error: unknown;
  /** A retry is in progress. */
  retrying: boolean;
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
  let last = 0;
  const setFailure = (next: SearchFailure | null) => {
    if (next === failure) return;
    failure = next;
    for (const listener of listeners) listener();
  };

  const search: Ask = (requests) => {
    last += 1;
    const turn = last;
    setFailure(null);
    return new Promise((resolve) => {
      const ask = async () => {
        try {
          const answer = await client.search(requests);
          if (turn === last) setFailure(null);
          resolve(answer);
        } catch (error) {
          if (turn === last) setFailure({ error, retrying: false, retry: () => again(error) });
        }
      };
      const again = (error: unknown) => {
        if (turn !== last || failure?.retrying) return;
        setFailure({ error, retrying: true, retry: () => {} });
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
