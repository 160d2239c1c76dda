// The whole call: several requests, each with a result, in the shapes that Algolia documents.
import type { CallReply } from '#contract/http.ts';
import type { Class } from '#contract/entities.ts';
import type { Highlight, SearchHit, SearchResult } from '#contract/search.ts';
import { searchIndexName } from '#contract/search.ts';
import type { Reader } from '../storage/database.ts';
import { searchClasses } from './class-search.ts';
import { highlight, type SoughtWord } from './highlight.ts';
import { QueryRefusal } from './query-refusal.ts';
import { readQuery, type Query } from './query.ts';
import { wordsOf } from './words.ts';

const mostRequests = 10;

/** @throws {QueryRefusal} */
export async function answerQueries(
  db: Reader,
  body: unknown,
): Promise<CallReply<'searchClasses'>> {
  const requests: unknown = (body as { requests?: unknown } | null)?.requests;
  if (!Array.isArray(requests) || requests.length === 0) {
    throw new QueryRefusal('Invalid value for "requests", expected a list of queries');
  }
  if (requests.length > mostRequests) {
    throw new QueryRefusal(`Too many requests, expected at most ${mostRequests}`);
  }
  const queries = requests.map(readQuery);
  return { results: await Promise.all(queries.map((query) => answer(db, query))) };
}

async function answer(db: Reader, query: Query): Promise<SearchResult> {
  const started = performance.now();
  const { page, hitsPerPage } = query;
  const { classes, total } = await searchClasses(db, query.text, page, hitsPerPage);
  const sought = wordsOf(query.text).map(({ text }) => ({
    text,
    prefix: true,
    near: new Set<string>(),
  }));
  return {
    index: searchIndexName,
    hits: classes.map((one) => toHit(one, query, sought)),
    nbHits: total,
    page,
    nbPages: hitsPerPage === 0 ? 0 : Math.ceil(total / hitsPerPage),
    hitsPerPage,
    query: query.text,
    params: query.params,
    exhaustiveNbHits: true,
    exhaustiveTypo: true,
    exhaustive: { nbHits: true, typo: true },
    processingTimeMS: Math.round(performance.now() - started),
  };
}

function toHit({ classId, ...all }: Class, query: Query, sought: readonly SoughtWord[]) {
  const kept = Object.entries(all).filter(([name]) => query.retrieves(name));
  return {
    ...Object.fromEntries(kept),
    objectID: classId,
    ...(query.highlights.length > 0 ? { _highlightResult: highlightsOf(all, query, sought) } : {}),
  } as SearchHit;
}

function highlightsOf(
  one: Omit<Class, 'classId'>,
  { highlights, tags }: Query,
  sought: readonly SoughtWord[],
): NonNullable<SearchHit['_highlightResult']> {
  const marked: Record<string, Highlight | Highlight[]> = {};
  for (const field of highlights) {
    const value = one[field];
    if (typeof value === 'string') marked[field] = highlight(value, sought, tags);
    else if (value) marked[field] = value.map((item) => highlight(item, sought, tags));
  }
  return marked;
}
