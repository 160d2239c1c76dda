// Bounds the work of a search call. One unit is about the work of a plain query with 100 hits.
import { limits } from '#contract/limits.ts';
import { countConditions } from './filter.ts';
import { maxHitsOf, type Query } from './query.ts';
import { QueryError } from '#server/http/query-error.ts';

/** Queries that `removeWordsIfNoResults` can add. */
const retries = { none: 0, allOptional: 1, lastWords: 5, firstWords: 5 } as const;

/**
 * @returns the number of searches that the call counts as
 * @throws {QueryError} if the call has too much work
 */
export function costOf(queries: readonly Query[]): number {
  const hits = queries.reduce((sum, query) => sum + maxHitsOf(query), 0);
  if (hits > limits.searchPageMax) {
    throw new QueryError(
      `Too many hits, expected at most ${limits.searchPageMax} for all requests together`,
    );
  }
  const cost = queries.reduce((sum, query) => sum + costOfQuery(query), 0);
  if (cost > limits.searchCallCost) {
    throw new QueryError(
      'Too much work for one call. Use several calls, fewer hits, filters or optional words',
    );
  }
  return cost;
}

function costOfQuery(query: Query): number {
  const { matching, advanced, filter } = query;
  const special = matching.optionalWords.size + [...advanced.phrases, ...advanced.excluded].length;
  return (
    Math.max(1, Math.ceil(maxHitsOf(query) / 100)) +
    Math.floor(countConditions(filter) / 10) +
    Math.floor(special / 4) +
    retries[matching.removal]
  );
}
