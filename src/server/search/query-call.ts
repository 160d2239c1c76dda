// Our classes in the shape of Algolia's query call, so that its clients can ask us.
import type { CallReply, SearchHit } from '#contract/http.ts';
import type { Class } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '../storage/database.ts';
import { searchClasses } from './class-search.ts';

interface SearchRequest {
  indexName: string;
  query?: string | undefined;
  page?: number | undefined;
  /** The same, encoded as a query string. */
  params?: string | undefined;
}

export async function answerQueries(
  db: Reader,
  requests: readonly SearchRequest[],
): Promise<CallReply<'searchClasses'>> {
  return { results: await Promise.all(requests.map((request) => answer(db, request))) };
}

async function answer(db: Reader, { indexName, params = '', ...given }: SearchRequest) {
  const encoded = new URLSearchParams(params);
  const query = given.query ?? encoded.get('query') ?? '';
  const page = given.page ?? pageOf(encoded.get('page'));
  const started = performance.now();
  const { classes, total } = await searchClasses(db, query, page);
  return {
    index: indexName,
    hits: classes.map(toHit),
    nbHits: total,
    page,
    nbPages: Math.ceil(total / limits.searchHitsPerPage),
    hitsPerPage: limits.searchHitsPerPage,
    query,
    params: new URLSearchParams({ query, page: String(page) }).toString(),
    exhaustiveNbHits: true,
    processingTimeMS: Math.round(performance.now() - started),
  };
}

function pageOf(text: string | null): number {
  return text && /^\d{1,2}$/.test(text) ? Number(text) : 0;
}

function toHit({ classId, ...fields }: Class): SearchHit {
  return { objectID: classId, ...fields };
}
