// Filters and facet counts, as the search screen and Algolia's widgets request them.
import { algoliasearch } from 'algoliasearch';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import { findClasses } from '#tests/support/find-classes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

let app: RunningApp;
let ada: TestClient;
beforeAll(async () => {
  app = await startApp();
  ada = await app.newStudent('ada');
  const add = (
    subjectAbbreviation: string,
    courseName: string,
    semesterSeason: 'Fall' | 'Spring',
    classSchedule: ('Monday' | 'Friday' | 'Sunday')[],
  ) => ada.createClass({ subjectAbbreviation, courseName, semesterSeason, classSchedule });
  await add('cs', 'Algorithms', 'Fall', ['Monday', 'Friday']);
  await add('CS', 'Networks', 'Spring', ['Monday']);
  await add('C S', 'Compilers', 'Fall', ['Friday']);
  const algebra = await add('math', 'Algebra', 'Fall', ['Sunday']);
  await (await app.newStudent('bob')).join(algebra);
  await add('-x', 'Oddities', 'Spring', ['Monday']);
});
afterAll(() => app.stop());

const find = (query: string, parameters: object) =>
  findClasses(ada, query, parameters as Record<string, unknown>);
const namesOf = async (parameters: object, query = '') =>
  (await find(query, parameters)).hits
    .map(({ courseName }: Pick<Class, 'courseName'>) => courseName)
    .toSorted((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1));

describe('facets', () => {
  test('count subjects with their display names, seasons and days of all hits [SEARCH-36]', async () => {
    const facets = ['subjectAbbreviation', 'semesterSeason', 'classSchedule', 'unknown'];
    expect((await find('', { facets, hitsPerPage: 0 })).facets).toEqual({
      subjectAbbreviation: { CS: 2, '-X': 1, 'C S': 1, MATH: 1 },
      semesterSeason: { Fall: 3, Spring: 2 },
      classSchedule: { Monday: 3, Friday: 2, Sunday: 1 },
    });
    expect(await find('alg', { facets: ['*'] })).toMatchObject({
      nbHits: 2,
      facets: { semesterSeason: { Fall: 2 }, classSchedule: { Monday: 1, Friday: 1, Sunday: 1 } },
      exhaustiveFacetsCount: true,
      exhaustive: { facetsCount: true },
    });
    expect(await find('', {})).not.toHaveProperty('facets');
  });

  test('return as many values as requested, the most frequent first [SEARCH-36]', async () => {
    const { facets } = await find('', { facets: 'classSchedule', maxValuesPerFacet: 2 });
    expect(Object.entries(facets?.classSchedule ?? {})).toEqual([
      ['Monday', 3],
      ['Friday', 2],
    ]);
  });

  test('facets can be searched for values [SEARCH-36]', async () => {
    const client = algoliasearch('backchannel', 'no-key', {
      hosts: [{ url: new URL(app.origin).host, protocol: 'http', accept: 'readWrite' }],
      baseHeaders: { cookie: ada.cookie(), origin: app.origin },
    });
    const request = { indexName: 'classSearch', type: 'facet' as const, maxFacetHits: 2 };
    const { results } = await client.searchForFacets({
      requests: [
        { ...request, facet: 'subjectAbbreviation', facetQuery: 'c' },
        { ...request, facet: 'classSchedule', facetQuery: '', filters: 'semesterSeason:Fall' },
      ],
    });
    expect(results.map(({ facetHits }) => facetHits)).toEqual([
      [
        { value: 'CS', highlighted: '<em>C</em>S', count: 2 },
        { value: 'C S', highlighted: '<em>C</em> S', count: 1 },
      ],
      [
        { value: 'Friday', highlighted: 'Friday', count: 2 },
        { value: 'Monday', highlighted: 'Monday', count: 1 },
      ],
    ]);
    const wrong = client.searchForFacets({ requests: [{ ...request, facet: 'memberCount' }] });
    await expect(wrong).rejects.toMatchObject({
      status: 400,
      message: 'Cannot search in "memberCount": it is not one of the attributes for faceting',
    });
  });
});

describe('facetFilters', () => {
  const cases: [unknown, string[]][] = [
    [['subjectAbbreviation:cs'], ['Algorithms', 'Networks']],
    ['subjectAbbreviation:CS', ['Algorithms', 'Networks']],
    [['subjectAbbreviation:CS', 'semesterSeason:Fall'], ['Algorithms']],
    [[['subjectAbbreviation:MATH', 'semesterSeason:Spring']], ['Algebra', 'Networks', 'Oddities']],
    [
      [['classSchedule:Friday', 'classSchedule:Sunday'], 'semesterSeason:fall'],
      ['Algebra', 'Algorithms', 'Compilers'],
    ],
    [['classSchedule:-Monday'], ['Algebra', 'Compilers']],
    [['subjectAbbreviation:\\-x'], ['Oddities']],
    [['subjectAbbreviation:nothing'], []],
    [['memberCount:1'], []],
    [[], ['Algebra', 'Algorithms', 'Compilers', 'Networks', 'Oddities']],
  ];
  test.each(cases)('%j [SEARCH-36]', async (facetFilters, names) => {
    expect(await namesOf({ facetFilters })).toEqual(names);
    const params = new URLSearchParams({
      facetFilters: typeof facetFilters === 'string' ? facetFilters : JSON.stringify(facetFilters),
    });
    expect(await namesOf({ params: params.toString() })).toEqual(names);
  });
});

describe('filters', () => {
  const cases: [string, string[]][] = [
    ['subjectAbbreviation:CS', ['Algorithms', 'Networks']],
    ['subjectAbbreviation:"c s"', ['Compilers']],
    ["'subjectAbbreviation':'C S'", ['Compilers']],
    ['subjectAbbreviation:CS AND semesterSeason:Fall', ['Algorithms']],
    ['semesterSeason:Spring OR classSchedule:Sunday', ['Algebra', 'Networks', 'Oddities']],
    ['NOT classSchedule:Monday', ['Algebra', 'Compilers']],
    [
      'semesterSeason:Fall AND (classSchedule:Sunday OR classSchedule:Monday)',
      ['Algebra', 'Algorithms'],
    ],
    [
      'semesterSeason:Fall AND classSchedule:Sunday OR classSchedule:Monday',
      ['Algebra', 'Algorithms'],
    ],
    [
      'semesterSeason:Fall AND NOT (subjectAbbreviation:CS OR subjectAbbreviation:MATH)',
      ['Compilers'],
    ],
    ['published', []],
    ['memberCount > 0', ['Algebra', 'Algorithms', 'Compilers', 'Networks', 'Oddities']],
    ['memberCount:2 TO 9 OR subjectAbbreviation:MATH', ['Algebra']],
    ['constructor:x OR __proto__:x OR toString > 0', []],
    ['  ', ['Algebra', 'Algorithms', 'Compilers', 'Networks', 'Oddities']],
  ];
  test.each(cases)('%s [SEARCH-36]', async (filters, names) => {
    expect(await namesOf({ filters })).toEqual(names);
  });

  test('limit the hits and the counts [SEARCH-36]', async () => {
    const found = await find('alg', {
      filters: 'classSchedule:Sunday',
      facets: ['semesterSeason'],
    });
    expect(found).toMatchObject({ nbHits: 1, facets: { semesterSeason: { Fall: 1 } } });
  });

  test.each([
    'memberCount > x',
    'memberCount:1 TO',
    'a:',
    ':b',
    '(a:b',
    'a:b)',
    'a:b AND',
    'AND',
    'a:"b',
    'a:b c:d',
  ])('the server refuses %s [SEARCH-38]', async (filters) => {
    const requests = [{ indexName: 'classSearch', filters }];
    const body = JSON.stringify({ requests });
    const response = await ada.fetch('/1/indexes/*/queries', { method: 'POST', body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      message: expect.stringMatching(
        /^filters: Unexpected (token at col \d+|end of filter)$/,
      ) as string,
      status: 400,
    });
  });
});

test('a query searches only the named fields [SEARCH-39]', async () => {
  const inFields = (query: string, ...restrictSearchableAttributes: string[]) =>
    namesOf({ restrictSearchableAttributes }, query);
  expect(await inFields('cs', 'courseName')).toEqual([]);
  expect(await inFields('alg', 'courseName')).toEqual(['Algebra', 'Algorithms']);
  expect(await inFields('fall algebra', 'courseName')).toEqual([]);
  expect(await inFields('fall algebra', 'courseName', 'semesterSeason')).toEqual(['Algebra']);
  const requests = [{ indexName: 'classSearch', restrictSearchableAttributes: ['memberCount'] }];
  const body = JSON.stringify({ requests });
  const refused = await ada.fetch('/1/indexes/*/queries', { method: 'POST', body });
  expect(await refused.json()).toEqual({
    message:
      'Invalid value for "restrictSearchableAttributes" parameter, "memberCount" is not searchable',
    status: 400,
  });
});

describe('lists of filters', () => {
  test.each<[string, unknown, string[]]>([
    ['numericFilters', 'memberCount>1', ['Algebra']],
    ['numericFilters', ['memberCount >= 1', 'memberCount != 1.0004'], ['Algebra']],
    ['numericFilters', [['memberCount = 2', 'memberCount < 0']], ['Algebra']],
    ['numericFilters', 'memberCount:2 TO 4.5', ['Algebra']],
    ['numericFilters', ['courseNumber > 0'], []],
    ['numericFilters', [['__proto__ > 0', 'constructor < 9']], []],
    ['tagFilters', 'new', []],
    [
      'tagFilters',
      ['-new', '-old'],
      ['Algebra', 'Algorithms', 'Compilers', 'Networks', 'Oddities'],
    ],
    [
      'tagFilters',
      [['new', '-old']],
      ['Algebra', 'Algorithms', 'Compilers', 'Networks', 'Oddities'],
    ],
    ['facetFilters', ['hasOwnProperty:x'], []],
    [
      'facetFilters',
      [['semesterSeason:Spring', 'classSchedule:sunday'], 'subjectAbbreviation:-cs'],
      ['Algebra', 'Oddities'],
    ],
  ])('%s %j [SEARCH-36, SEARCH-73]', async (name, filters, names) => {
    expect(await namesOf({ [name]: filters })).toEqual(names);
  });

  test('narrow the hits together [SEARCH-73]', async () => {
    const filters = 'subjectAbbreviation:CS OR subjectAbbreviation:MATH';
    const numericFilters = ['memberCount <= 1'];
    expect(await namesOf({ filters, numericFilters })).toEqual(['Algorithms', 'Networks']);
    expect(await namesOf({ filters, numericFilters, tagFilters: ['x'] })).toEqual([]);
  });
});

test('facet values are in the order of their counts or of their names [SEARCH-78]', async () => {
  const facets = ['classSchedule'];
  const daysOf = async (parameters: object) =>
    Object.keys((await find('', { facets, ...parameters })).facets?.classSchedule ?? {});
  expect(await daysOf({})).toEqual(['Monday', 'Friday', 'Sunday']);
  expect(await daysOf({ sortFacetValuesBy: 'count' })).toEqual(['Monday', 'Friday', 'Sunday']);
  const byName = { sortFacetValuesBy: 'alpha', maxValuesPerFacet: 2 };
  expect(await daysOf(byName)).toEqual(['Friday', 'Monday']);
  const { facetHits } = (await find('', {
    ...{ type: 'facet', facet: 'classSchedule', sortFacetValuesBy: 'alpha', maxFacetHits: 1 },
  })) as unknown as { facetHits: unknown[] };
  expect(facetHits).toMatchObject([{ value: 'Friday' }]);
});
