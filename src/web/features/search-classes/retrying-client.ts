import type { Ask, SearchClient } from '#web/data/search-client.ts';

/** The last search failed. */
export interface SearchFailure {
  error: unknown;
  /** It is being asked again. */
  retrying: boolean;
  retry(): void;
}

export interface RetryingClient {
  client: SearchClient;
  subscribe(listener: () => void): () => void;
  /** Null while there is none, or a later search is under way. */
  getFailure(): SearchFailure | null;
}

/**
 * When a search fails InstantSearch goes back to the last one that did not, and what was typed since
 * would be gone. So it sees no failure but a search that takes long, until trying again helps or
 * another search takes its place.
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
