import {
  MutationCache,
  type Query,
  QueryCache,
  QueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { isTemporary } from '#contract/temporary-errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { NetworkError } from '#web/api.ts';
import { endSession } from '#web/data/session.ts';

/** If the server asks for a longer wait, the query fails instead of retrying. */
const maxDelayMs = 1500;

function retry(failures: number, error: Error): boolean {
  const mayHelp = !(error instanceof RejectedError) || isTemporary(error.code);
  return mayHelp && failures < 1 && retryDelay(failures, error) <= maxDelayMs;
}

function retryDelay(_failures: number, error: Error): number {
  return (error instanceof RejectedError ? error.retryAfterMs : undefined) ?? 300;
}

/** A `refetchInterval` that tries again every five seconds while the server cannot be reached. */
export function pollWhileUnreachable({ state }: Pick<Query, 'state'>): number | false {
  return state.error instanceof NetworkError ? 5000 : false;
}

/** Whether nothing is shown because the server cannot be reached. During each try there is no error. */
export function isUnreachable({ data, error, errorUpdateCount }: Attempt): boolean {
  return data === undefined && (error ? error instanceof NetworkError : errorUpdateCount > 0);
}

type Attempt = Pick<UseQueryResult, 'data' | 'error' | 'errorUpdateCount'>;

export function createQueryClient(): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof RejectedError && ['UNAUTHENTICATED', 'SUSPENDED'].includes(error.code)) {
      endSession(client);
    }
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      // `always`: without a network, a call fails with an error instead of pausing.
      queries: { networkMode: 'always', retry, retryDelay, staleTime: 30_000 },
      mutations: { networkMode: 'always', retry: false },
    },
  });
  return client;
}
