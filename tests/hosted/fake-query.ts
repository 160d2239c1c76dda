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
const toTexts = (value: unknown) => [value].flat().filter((one) => typeof one === 'string');

export function answerQuery(all: readonly FakeRecord[], asked: Parameters): object {
  const { query = '', page = 0, hitsPerPage = 20, facets = [], facetFilters = [] } = asked;
  const sought = listWords(query);
  const found = all
    .filter((record) => {
      const has = listWords(Object.values(record).flat().join(' '));
      return sought.every((word) => has.some((one) => one.startsWith(word)));
    })
    .filter((record) => facetFilters.every((any) => [any].flat().some((one) => is(record, one))))
    .toSorted((a, b) => Number(b['memberCount']) - Number(a['memberCount']));
  return {
    index: asked.indexName,
    hits: found
      .slice(page * hitsPerPage, (page + 1) * hitsPerPage)
      .map((record) => ({ ...record, _highlightResult: highlight(record, sought, asked) })),
    nbHits: found.length,
    page,
    nbPages: hitsPerPage > 0 ? Math.ceil(found.length / hitsPerPage) : 0,
    hitsPerPage,
    query,
    params: '',
    exhaustiveNbHits: true,
    facets: Object.fromEntries([facets].flat().map((facet) => [facet, count(found, facet)])),
    processingTimeMS: 1,
  };
}

function is(record: FakeRecord, filter: string): boolean {
  const [field = '', wanted = ''] = filter.split(/:(.*)/s);
  return toTexts(record[field]).some((value) => value.toLowerCase() === wanted.toLowerCase());
}

function count(found: readonly FakeRecord[], facet: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const record of found) {
    for (const value of toTexts(record[facet])) counts[value] = (counts[value] ?? 0) + 1;
  }
  return counts;
}

function highlight(record: FakeRecord, sought: readonly string[], asked: Parameters) {
  const { highlightPreTag: pre = '<em>', highlightPostTag: post = '</em>' } = asked;
  const marked = (text: string) =>
    text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => {
      const begun = sought.find((one) => word.toLowerCase().startsWith(one));
      if (!begun) return word;
      return `${pre}${word.slice(0, begun.length)}${post}${word.slice(begun.length)}`;
    });
  const fields = highlighted.filter((field) => typeof record[field] === 'string');
  return Object.fromEntries(
    fields.map((field) => [
      field,
      { value: marked(record[field] as string), matchLevel: 'none', matchedWords: [] },
    ]),
  );
}
