import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import { ClassIndex, type IndexQuery } from './class-index.ts';
import { MatchBuffers, QueryMatcher } from './query-matcher.ts';
import type { Piece } from './query-pieces.ts';
import { loadShortForms } from './short-forms.ts';

const titles = [
  'Data Structures and Algorithms',
  'Introduction to Data Structures',
  'Organic Chemistry',
  'Elementary Statistics',
  'Political Science and Society',
  'Painting',
  'History of Rome',
  'Calculus III',
];

const index = new ClassIndex(loadShortForms(null));
for (const [n, courseName] of titles.entries()) {
  index.put({
    classId: `class${n}`.padEnd(16, 'x'),
    name: null,
    courseName,
    subjectAbbreviation: ['C S', 'CHEM', 'STAT', 'POLS'][n % 4] ?? null,
    courseNumber: String(10 + n),
    sectionNumber: '01',
    semesterSeason: 'Fall',
    classSchedule: n % 2 ? ['Monday', 'Wednesday'] : ['Tuesday', 'Thursday'],
    beginClassTime: n % 3 ? '09:00' : '18:00',
    endClassTime: null,
    memberCount: n,
    ended: false,
  } satisfies Class);
}

const onMonday: IndexQuery['filter'] = [[{ facet: 'classSchedule', value: 'Monday' }]];

function find(text: string, filter: IndexQuery['filter'] = [], from = 0) {
  return index.find({ text, filter, from, count: 10, facets: [] });
}

const word = fc.oneof(
  fc.constantFrom('data', 'structures', 'chem', 'orgo', 'stats', 'poli', 'sci', 'mwf', 'evening'),
  fc.constantFrom('a', 'c', 's', '10', '10am', 'after', 'of', 'class', 'datastructures', 'тест'),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);
const query = fc.array(word, { maxLength: 40 }).map((words) => words.join(' ').slice(0, 512));

test('any query gets the same rewrite on every page and with every filter [SEARCH-115, SEARCH-107]', () => {
  fc.assert(
    fc.property(query, (text) => {
      const all = find(text);
      expect(find(text, onMonday).rewritten).toBe(all.rewritten);
      expect(find(text, [], 10).rewritten).toBe(all.rewritten);
      expect(all.classes).toHaveLength(Math.min(10, all.total));
      const monday = all.classes.filter((foundClass) =>
        foundClass.classSchedule?.includes('Monday'),
      );
      expect(find(text, onMonday).classes).toEqual(monday);
      if (all.rewritten !== null) expect(all.total).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});

test('a query of words of a class is not rewritten [SEARCH-100]', () => {
  const ofOneClass = fc
    .constantFrom(...titles)
    .chain((title) => fc.shuffledSubarray(title.toLowerCase().split(' '), { minLength: 1 }))
    .map((words) => words.join(' '));
  fc.assert(
    fc.property(ofOneClass, (text) => {
      expect(find(text)).toMatchObject({ rewritten: null });
    }),
  );
});

test.each([
  ['datastructures', 'data structures', 2],
  ['orgo', 'organic chemistry', 1],
  ['computer science 10', 'C S 10', 1],
  ['painting mw', 'painting Monday Wednesday', 1],
  ['painting zork', 'painting', 1],
  ['data evening', 'data from 5 PM', 1],
  // The class begins in the morning, so the time is left out.
  ['painting night', 'painting', 1],
  ['zork', null, 0],
])('%s is searched as %j [SEARCH-100, SEARCH-101, SEARCH-102]', (text, rewritten, total) => {
  expect(find(text)).toMatchObject({ rewritten, total });
});

test('initials are searched as their full form, although words of classes begin with them [SEARCH-100]', () => {
  const school = new ClassIndex(loadShortForms(null));
  const names = ['Principles of Accounting', 'Human Anatomy & Physiology', 'Painting for All'];
  for (const [n, courseName] of names.entries()) {
    school.put({
      classId: `initials${n}`.padEnd(16, 'x'),
      name: null,
      courseName,
      subjectAbbreviation: 'BIOL',
      courseNumber: String(60 + n),
      sectionNumber: '01',
      semesterSeason: 'Fall',
      classSchedule: ['Monday'],
      beginClassTime: '09:00',
      endClassTime: null,
      memberCount: 10 - n,
      ended: false,
    });
  }
  const result = school.find({ text: 'a&p', filter: [], from: 0, count: 10, facets: [] });

  expect(result.classes.map(({ courseName }) => courseName)).toEqual([
    'Human Anatomy & Physiology',
  ]);
});

test('a query is read up to its sixteenth word [SEARCH-107]', () => {
  const known = Array.from({ length: 16 }, (_, n) => ['data', 'structures'][n % 2]).join(' ');

  expect(find(`${known} zork`)).toMatchObject({ total: 2, rewritten: null });
});

test('a word with more than two million places is not read [SEARCH-107]', () => {
  const createPiece = (text: string, cost: number, placeCount: number): Piece => {
    const term = { text, postings: Array.from({ length: 2 * placeCount }, () => 0) };
    const expansions = [{ term, isWhole: true }];
    const queryWord = { text, prefix: false, typos: 0, expansions, postingCount: placeCount };
    return { from: 0, to: 1, words: [queryWord], cost, score: 0, shown: null };
  };
  const common = createPiece('common', 0, 2_000_001);
  const rare = createPiece('rare', 1, 1);
  const match = (pieces: Piece[]) => new QueryMatcher([1], new MatchBuffers(1)).match(pieces, 1);

  expect(match([common])).toBeNull();
  expect(match([common, rare])?.listPieces(0)).toEqual([rare]);
});

test('a query tells at most 2,000 sets of words apart [SEARCH-107]', () => {
  const pieces = Array.from({ length: 12 }, (_, from): Piece => {
    const docs = Array.from({ length: 4096 }, (__, doc) => doc).filter((doc) => (doc >> from) & 1);
    const term = { text: `word${from}`, postings: docs.flatMap((doc) => [doc, 0]) };
    const expansions = [{ term, isWhole: true }];
    const queryWord = {
      text: term.text,
      prefix: false,
      typos: 0,
      expansions,
      postingCount: docs.length,
    };
    return { from, to: from + 1, words: [queryWord], cost: 0, score: 0, shown: null };
  });
  const matcher = new QueryMatcher(
    Array.from({ length: 4096 }, () => 1),
    new MatchBuffers(4096),
  );

  expect(matcher.match(pieces.slice(0, 10), 10)?.docs).toHaveLength(4);
  expect(matcher.match(pieces, 12)).toBeNull();
});
