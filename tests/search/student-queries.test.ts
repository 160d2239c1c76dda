// What students type finds the class that they mean, also if no class has all of its words.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findClasses } from '#tests/support/find-classes.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { createCollegeCatalog } from './college-catalog.ts';
import { insertClasses } from './insert-classes.ts';
import { heldOutQueries, tunedQueries, type StudentQuery } from './student-queries.ts';

let app: RunningApp;
let ada: TestClient;
beforeAll(async () => {
  app = await startApp();
  const shortForms = {
    words: { 'bear den': 'public speaking' },
    subjects: { 'sea science': ['ENVS'] },
  };
  writeFileSync(
    join(app.database.settings.DATA_DIR, 'short-forms.json'),
    JSON.stringify(shortForms),
  );
  await app.restart(() => insertClasses(app.database, createCollegeCatalog()));
  ada = await app.createStudent();
});
afterAll(() => app.stop());

async function findFirstCode(query: string): Promise<string> {
  const [hit] = (await findClasses(ada, query)).hits;
  return hit ? `${hit.subjectAbbreviation} ${hit.courseNumber}` : 'nothing';
}

/** The queries whose first result is wrong, with that result. */
async function listMisses(queries: readonly StudentQuery[]): Promise<string[]> {
  const misses: string[] = [];
  for (const { text, courses } of queries) {
    const first = await findFirstCode(text);
    if (!courses.includes(first)) misses.push(`${text}: ${first}`);
  }
  return misses;
}

const getParsedQuery = async (query: string, page = 0) =>
  (await findClasses(ada, query, { page })).parsedQuery;

test('the tables have enough queries, and their courses exist', () => {
  const codes = createCollegeCatalog().map(
    (hit) => `${hit.subjectAbbreviation} ${hit.courseNumber}`,
  );

  expect(tunedQueries.length).toBeGreaterThanOrEqual(100);
  expect(heldOutQueries.length).toBeGreaterThanOrEqual(100);
  for (const { text, courses } of [...tunedQueries, ...heldOutQueries]) {
    for (const course of courses) expect(codes, text).toContain(course);
  }
});

test('each query of the tuned half finds its class first [SEARCH-100, SEARCH-101, SEARCH-102]', async () => {
  expect(await listMisses(tunedQueries)).toEqual([]);
});

test('nearly every query of the other half finds its class first [SEARCH-100, SEARCH-101, SEARCH-102]', async () => {
  const misses = await listMisses(heldOutQueries);

  expect(heldOutQueries.length - misses.length).toBeGreaterThanOrEqual(117);
});

test.each([
  // Short forms of several words.
  ['poli sci', ['POLS']],
  ['pol sci', ['POLS']],
  ['comp sci', ['C S']],
  ['env sci', ['ENVS']],
  ['phys ed', ['KIN']],
  ['bus law', ['BUS']],
  ['business law', ['BUS']],
  ['mech e', ['M E']],
  ['diff eq', ['MATH']],
  ['lin alg', ['MATH']],
  // Two letters that begin the words of other classes: Osteology, Aircraft, Perception.
  ['os', ['C S']],
  ['ai', ['C S']],
  ['pe', ['KIN']],
  ['ml', ['C S']],
  // The beginnings of words.
  ['econ', ['ECON']],
  ['psych', ['PSYC']],
  ['chem', ['CHEM']],
  ['orgo', ['CHEM']],
  ['o-chem', ['CHEM']],
  ['calc', ['MATH']],
  ['stats', ['STAT']],
  ['cs', ['C S']],
  ['phil', ['PHIL']],
  ['anthro', ['ANTH']],
  ['soc', ['SOCI']],
  ['lit', ['ENGL']],
  ['us history', ['HIST']],
  ['u.s. history', ['HIST']],
  ['usa history', ['HIST']],
  ['us gov', ['POLS']],
  ['gov', ['POLS']],
  ['comm', ['COMM']],
  ['eng', ['ENGR', 'ENGL']],
  ['ee', ['E E']],
  ['acct', ['ACCT']],
  ['mgmt', ['MGMT']],
  ['ling', ['LING']],
  ['geo', ['GEOG', 'GEOL']],
  ['astro', ['ASTR']],
  ['bioinfo', ['BIOL']],
])('%s finds a class of %j first [SEARCH-100]', async (query, subjects) => {
  const [hit] = (await findClasses(ada, query)).hits;

  expect(subjects).toContain(hit?.subjectAbbreviation);
});

test('U.S. and United States mean the same in names [SEARCH-101]', async () => {
  const listCourseCodes = async (query: string) =>
    (await findClasses(ada, query)).hits.map(
      (hit) => `${hit.subjectAbbreviation} ${hit.courseNumber}`,
    );

  expect((await listCourseCodes('us history')).toSorted()).toEqual([
    'ETHN 33',
    'HIST 15',
    'HIST 17A',
    'HIST 17B',
  ]);
  expect(await listCourseCodes('us gov')).toEqual(['POLS 15']);
});

describe('a query that no class matches is rewritten', () => {
  test('a query of unknown words finds nothing [SEARCH-102]', async () => {
    for (const query of ['underwater basket weaving', 'zzzz', 'the of and zzz', '9999999']) {
      expect(await findClasses(ada, query)).toMatchObject({ nbHits: 0, query });
      expect(await getParsedQuery(query)).toBeUndefined();
    }
  });
});

test('a time in a query finds only classes that begin then [SEARCH-101]', async () => {
  const { hits, nbHits } = await findClasses(ada, 'evening', { hitsPerPage: 100 });
  const evening = createCollegeCatalog().filter(
    (candidate) => (candidate.beginClassTime ?? '') >= '17:00',
  );
  // A class has 'evening' in its name, so the word itself is found.
  expect(nbHits).toBe(1);
  expect(hits[0]?.courseName).toContain('Evening');

  const nights = await findClasses(ada, 'at night', { hitsPerPage: 100 });
  expect(nights.nbHits).toBe(evening.length);
  expect(nights.parsedQuery).toBe('from 5 PM');
});

test('a school can add short forms and subjects [SEARCH-105]', async () => {
  expect(await findFirstCode('bear den')).toBe('COMM 20');
  expect(await findFirstCode('sea science 117')).toBe('ENVS 117');
});
