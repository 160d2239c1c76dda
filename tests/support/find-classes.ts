import type { SearchHit, SearchResult } from '#contract/class-search.ts';
import { searchIndexName } from '#contract/class-fields.ts';
import type { TestClient } from './test-client.ts';

/** Sends one query of the search call, with Algolia's parameters. */
export async function findClasses(
  student: TestClient,
  query: string,
  parameters: Readonly<Record<string, unknown>> = {},
): Promise<SearchResult & { hits: SearchHit[] }> {
  const requests = [{ indexName: searchIndexName, query, ...parameters }];
  const { results } = await student.call('searchClasses', { body: { requests } });
  return results[0] as SearchResult & { hits: SearchHit[] };
}
