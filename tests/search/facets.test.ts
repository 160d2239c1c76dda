// Filters and facet counts, as the search screen and Algolia's widgets request them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findClasses } from '#tests/support/find-classes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

let app: RunningApp;
let ada: TestClient;
beforeAll(async () => {
  app = await startApp();
  ada = await app.createStudent('ada');
  const add = (
    subjectAbbreviation: string,
    courseName: string,
    semesterSeason: 'Fall' | 'Spring',
    classSchedule: ('Monday' | 'Friday' | 'Sunday')[],
  ) => ada.createClass({ subjectAbbreviation, courseName, semesterSeason, classSchedule });
  await add('cs', 'Algorithms', 'Fall', ['Monday', 'Friday']);
  await add('CS', 'Networks', 'Spring', ['Monday']);
  await add('C S', 'Compilers', 'Fall', ['Friday']);
  await add('math', 'Algebra', 'Fall', ['Sunday']);
  await add('-x', 'Oddities', 'Spring', ['Monday']);
});
afterAll(() => app.stop());

describe('facets', () => {
  test('facets count the subjects, the seasons and the days of all hits [SEARCH-113]', async () => {
    const all = await findClasses(ada, '', {
      facets: ['subjectAbbreviation', 'semesterSeason', 'classSchedule'],
      hitsPerPage: 0,
    });
    const page = await findClasses(ada, 'alg', { facets: ['classSchedule'] });

    expect(all.facets).toEqual({
      subjectAbbreviation: { CS: 2, '-X': 1, 'C S': 1, MATH: 1 },
      semesterSeason: { Fall: 3, Spring: 2 },
      classSchedule: { Monday: 3, Friday: 2, Sunday: 1 },
    });
    expect(page).toMatchObject({
      nbHits: 2,
      facets: { classSchedule: { Monday: 1, Friday: 1, Sunday: 1 } },
    });
    expect(await findClasses(ada, '')).not.toHaveProperty('facets');
  });

  test('a facet has the requested number of values, the most frequent first [SEARCH-113]', async () => {
    const { facets } = await findClasses(ada, '', {
      facets: 'classSchedule',
      maxValuesPerFacet: 2,
    });

    expect(Object.entries(facets?.classSchedule ?? {})).toEqual([
      ['Monday', 3],
      ['Friday', 2],
    ]);
  });

  test('facets count the hits that the filters leave [SEARCH-113]', async () => {
    const filtered = await findClasses(ada, 'alg', {
      facetFilters: [['classSchedule:Sunday']],
      facets: ['semesterSeason'],
    });

    expect(filtered).toMatchObject({ nbHits: 1, facets: { semesterSeason: { Fall: 1 } } });
  });
});

describe('filters', () => {
  test.each<[string[][], string[]]>([
    [[['subjectAbbreviation:cs']], ['Algorithms', 'Networks']],
    [[['subjectAbbreviation:C S']], ['Compilers']],
    [[['subjectAbbreviation:CS'], ['semesterSeason:Fall']], ['Algorithms']],
    [[['subjectAbbreviation:MATH', 'semesterSeason:Spring']], ['Algebra', 'Networks', 'Oddities']],
    [
      [['classSchedule:Friday', 'classSchedule:Sunday'], ['semesterSeason:fall']],
      ['Algebra', 'Algorithms', 'Compilers'],
    ],
    [[['subjectAbbreviation:\\-x']], ['Oddities']],
    [[['subjectAbbreviation:nothing']], []],
    [[['subjectAbbreviation:constructor', 'classSchedule:__proto__']], []],
    [[], ['Algebra', 'Algorithms', 'Compilers', 'Networks', 'Oddities']],
  ])('the filters %j find %j [SEARCH-113]', async (facetFilters, names) => {
    const { hits } = await findClasses(ada, '', { facetFilters });

    expect(hits.map(({ courseName }) => courseName ?? '').toSorted()).toEqual(names);
  });

  test.each<[string, unknown]>([
    ['a text', 'semesterSeason:Fall'],
    ['a filter outside a list', ['semesterSeason:Fall']],
    ['an empty list', [[]]],
    ['an unknown facet', [['memberCount:1']]],
    ['no facet', [['Fall']]],
    ['a negation', [['classSchedule:-Monday']]],
    ['four lists', Array.from({ length: 4 }, () => ['semesterSeason:Fall'])],
    ['101 values', [Array.from({ length: 101 }, (_, n) => `subjectAbbreviation:${n}`)]],
    ['a long value', [[`subjectAbbreviation:${'x'.repeat(200)}`]]],
  ])('a search rejects filters that are %s [SEARCH-113, SEARCH-16]', async (_, facetFilters) => {
    const search = findClasses(ada, '', { facetFilters: facetFilters as string[][] });

    await expect(search).rejects.toMatchObject({ code: 'INVALID' });
  });
});
