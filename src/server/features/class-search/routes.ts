import { AppError } from '#contract/errors.ts';
import type { Account } from '#server/http/caller.ts';
import type { ClassIndex } from './class-index.ts';
import { readQuery, type Query } from './query.ts';
import { costOf } from './query-cost.ts';
import {
  answerFacetValues,
  answerHits,
  answerQueries,
  answerRecord,
  readRequests,
} from './query-call.ts';
import type { Limiter } from '#server/base/limiter.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import type { Route } from '#server/http/route.ts';

/** @param searched null if browsers use a hosted index */
export function searchRoutes(
  route: Route,
  searched: Pick<ClassIndex, 'find' | 'get'> | null,
  limiter: Limiter,
  metrics: Pick<WorkCounter, 'observe'>,
): void {
  function requireIndex(): Pick<ClassIndex, 'find' | 'get'> {
    if (!searched) throw new AppError('NOT_FOUND');
    return searched;
  }

  function countSearches(account: Account, queries: readonly Query[]): void {
    limiter.take('searches', account.id, costOf(queries));
  }

  /** Takes the time of the answer, not of reading the request. */
  async function timed<Reply>(answer: () => Reply | Promise<Reply>): Promise<Reply> {
    const startedAt = performance.now();
    const reply = await answer();
    metrics.observe('searchSeconds', (performance.now() - startedAt) / 1000);
    return reply;
  }

  route('searchClasses', 'signedIn', async ({ account, body }) => {
    const index = requireIndex();
    const queries = readRequests(body);
    countSearches(account, queries);
    return timed(() => answerQueries(index, queries));
  });

  route('searchIndex', 'signedIn', async ({ account, params, body }) => {
    const index = requireIndex();
    const query = readQuery(params.indexName, body);
    countSearches(account, [query]);
    return timed(() => answerHits(index, query));
  });

  route('searchFacetValues', 'signedIn', async ({ account, params, body }) => {
    const index = requireIndex();
    const query = readQuery(params.indexName, body, params.facetName);
    countSearches(account, [query]);
    return timed(() => answerFacetValues(index, query));
  });

  route('readSearchRecord', 'signedIn', async ({ account, params, query }) => {
    const index = requireIndex();
    limiter.take('searches', account.id);
    return answerRecord(index, params, query);
  });
}

/** @param access null if this server answers searches itself */
export function searchAccessRoute(
  route: Route,
  access: (() => { applicationId: string; key: string }) | null,
): void {
  route('searchAccess', 'signedIn', async () => {
    if (!access) throw new AppError('NOT_FOUND');
    return access();
  });
}
