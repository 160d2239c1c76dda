// Answers queries like a hosted index, as far as our screens need it: word prefixes, filters, counts and
// highlights.

export interface FakeRecord {
  objectID: string;
  [field: string]: unknown;
}

export interface Parameters {
  indexName: string;
  query?: string;
  page?: number;
  hitsPerPage?: number;
  facets?: string[] | string;
  facetFilters?: (string | string[])[];
  highlightPreTag?: string;
  highlightPostTag?: string;
}

const highlighted = ['courseName', 'name', 'subjectAbbreviation', 'courseNumber', 'sectionNumber'];

const listWords = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const toTexts = (value: unknown) => [value].flat().filter((item) => typeof item === 'string');

export function answerQuery(all: readonly FakeRecord[], parameters: Parameters): object {
  const { query = '', page = 0, hitsPerPage = 20, facets = [], facetFilters = [] } = parameters;
  const sought = listWords(query);
  const foundRecords = all
    .filter((record) => {
      const has = listWords(Object.values(record).flat().join(' '));
      return sought.every((word) => has.some((textWord) => textWord.startsWith(word)));
    })
    .filter((record) =>
      facetFilters.every((alternatives) =>
        [alternatives].flat().some((filter) => is(record, filter)),
      ),
    )
    .toSorted((a, b) => Number(b['memberCount']) - Number(a['memberCount']));
  return {
    index: parameters.indexName,
    hits: foundRecords
      .slice(page * hitsPerPage, (page + 1) * hitsPerPage)
      .map((record) => ({ ...record, _highlightResult: highlight(record, sought, parameters) })),
    nbHits: foundRecords.length,
    page,
    nbPages: hitsPerPage > 0 ? Math.ceil(foundRecords.length / hitsPerPage) : 0,
    hitsPerPage,
    query,
    params: '',
    exhaustiveNbHits: true,
    facets: Object.fromEntries([facets].flat().map((facet) => [facet, count(foundRecords, facet)])),
    processingTimeMS: 1,
  };
}

function is(record: FakeRecord, filter: string): boolean {
  const [field = '', wantedValue = ''] = filter.split(/:(.*)/s);
  return toTexts(record[field]).some((value) => value.toLowerCase() === wantedValue.toLowerCase());
}

function count(records: readonly FakeRecord[], facet: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const record of records) {
    for (const value of toTexts(record[facet])) counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

function highlight(record: FakeRecord, sought: readonly string[], parameters: Parameters) {
  const { highlightPreTag: pre = '<em>', highlightPostTag: post = '</em>' } = parameters;
  const markWords = (text: string) =>
    text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => {
      const matchedWord = sought.find((candidate) => word.toLowerCase().startsWith(candidate));
      if (!matchedWord) return word;
      return `${pre}${word.slice(0, matchedWord.length)}${post}${word.slice(matchedWord.length)}`;
    });
  const fields = highlighted.filter((field) => typeof record[field] === 'string');
  return Object.fromEntries(
    fields.map((field) => [
      field,
      { value: markWords(record[field] as string), matchLevel: 'none', matchedWords: [] },
    ]),
  );
}
