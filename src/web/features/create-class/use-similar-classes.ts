import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { type ClassFields, searchIndexName, toCodeKey } from '#contract/class-fields.ts';
import { limits, searchDebounceMs } from '#contract/limits.ts';
import type { SearchHit, SearchRequest } from '#contract/class-search.ts';
import { searchClasses } from '#web/data/search-client.ts';

type Code = Pick<ClassFields, 'subjectAbbreviation' | 'courseNumber' | 'semesterSeason'>;

/** Keeps the list short: it is a hint. */
const maxSimilar = 3;

/** Classes with the typed code and season. The query is debounced. */
export function useSimilarClasses(fields: Code): SearchHit[] {
  const { subjectAbbreviation, courseNumber, semesterSeason } = fields;
  const fieldsKey = JSON.stringify({ subjectAbbreviation, courseNumber, semesterSeason });
  const [settledKey, setSettledKey] = useState(fieldsKey);
  useEffect(() => {
    const timer = setTimeout(() => setSettledKey(fieldsKey), searchDebounceMs);
    return () => clearTimeout(timer);
  }, [fieldsKey]);

  const code = JSON.parse(settledKey) as Code;
  const query = `${code.subjectAbbreviation.trim()} ${code.courseNumber.trim()}`;
  const isComplete = code.subjectAbbreviation.trim() !== '' && code.courseNumber.trim() !== '';
  const { data } = useQuery({
    queryKey: ['similar', settledKey],
    queryFn: () => findClasses(query, code),
    enabled: isComplete && query.length >= limits.searchQueryMin,
    retry: false,
  });
  // Hides results of an earlier input.
  return settledKey === fieldsKey ? (data ?? []) : [];
}

async function findClasses(query: string, code: Code): Promise<SearchHit[]> {
  const { semesterSeason: season } = code;
  const request: SearchRequest = {
    indexName: searchIndexName,
    query,
    hitsPerPage: limits.searchHitsPerPage,
    ...(season && { facetFilters: [[`semesterSeason:${season}`]] }),
  };
  const { results } = await searchClasses([request]);
  const hits = results[0]?.hits ?? [];
  return hits.filter((hit) => isSameCode(hit, code)).slice(0, maxSimilar);
}

interface ClassCode {
  subjectAbbreviation: string | null;
  courseNumber: string | null;
}

/** Whether both have the same course code: `cs 046` equals `CS 46`. */
export function isSameCode(a: ClassCode, b: ClassCode): boolean {
  return (
    toCodeKey(a.subjectAbbreviation) === toCodeKey(b.subjectAbbreviation) &&
    toCodeKey(a.courseNumber) === toCodeKey(b.courseNumber)
  );
}
