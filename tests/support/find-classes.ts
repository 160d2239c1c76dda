import type { SearchRequest, SearchResult } from '#contract/class-search.ts';
import { searchIndexName } from '#contract/class-fields.ts';
import type { TestClient } from './test-client.ts';

/** Sends one request of the search call. */
export async function findClasses(
  student: TestClient,
  query: string,
  parameters: Omit<SearchRequest, 'indexName'> = {},
): Promise<SearchResult> {
  const requests = [{ indexName: searchIndexName, query, ...parameters } as const];
  const { results } = await student.call('searchClasses', { body: { requests } });
  return results[0]!;
}
