import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import { ClassIndex, type IndexQuery } from './class-index.ts';
import { MatchBuffers, QueryMatcher } from './query-matcher.ts';
import type { Piece, QueryWord } from './query-pieces.ts';
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
  'Electricity and Magnetism',
  'Emergency Care',
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

const anyWord = fc.oneof(
  fc.constantFrom('data', 'structures', 'chem', 'orgo', 'stats', 'poli', 'sci', 'mwf', 'evening'),
  fc.constantFrom('a', 'c', 's', '10', '10am', 'after', 'of', 'class', 'datastructures', 'тест'),
  fc.string({ maxLength: 12, unit: 'grapheme' }),
);
const query = fc.array(anyWord, { maxLength: 40 }).map((words) => words.join(' ').slice(0, 512));

test('any query gets the same rewrite on every page and with every filter [SEARCH-106, SEARCH-107]', () => {
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
  // A whole word of the class, not its stem.
  ['data structurs', 'data structures', 2],
  ['e&m smith', 'electricity magnetism', 1],
  // Not a beginning, such as 'Emergency'.
  ['em smith', 'electricity magnetism', 1],
  ['data evening', 'data from 5 PM', 1],
  // The class begins in the morning, so the time is left out.
  ['painting night', 'painting', 1],
  ['zork', null, 0],
])('%s is searched as %j [SEARCH-100, SEARCH-101, SEARCH-102]', (text, rewritten, total) => {
  expect(find(text)).toMatchObject({ rewritten, total });
});

test('a query is read up to its sixteenth word [SEARCH-107]', () => {
  const known = Array.from({ length: 16 }, (_, n) => ['data', 'structures'][n % 2]).join(' ');

  expect(find(`${known} zork`)).toMatchObject({ total: 2, rewritten: null });
});

function createPiece(text: string, from: number, docs: readonly number[], cost = 0): Piece {
  const term = { text, postings: docs.flatMap((doc) => [doc, 0]) };
  const word: QueryWord = {
    kind: 'text',
    text,
    prefix: false,
    typos: 0,
    expansions: [{ term, isWhole: true }],
    postingCount: docs.length,
  };
  return { from, to: from + 1, words: [word], cost, score: 0, shown: null };
}

function createMatcher(classCount: number): QueryMatcher {
  const nameLengths = Array.from({ length: classCount }, () => 1);
  return new QueryMatcher(nameLengths, new MatchBuffers(classCount));
}

test('a word with more than a million places is not read [SEARCH-107]', () => {
  const docs = Array.from({ length: 1_000_001 }, () => 0);
  const common = createPiece('common', 0, docs);
  const rare = createPiece('rare', 0, [0], 1);

  expect(createMatcher(1).match([common], 1)).toBeNull();
  expect(createMatcher(1).match([common, rare], 1)?.rows).toEqual([[rare]]);
});

test('a query tells at most 1,000 sets of words apart [SEARCH-107]', () => {
  const docs = Array.from({ length: 4096 }, (_, doc) => doc);
  const pieces = Array.from({ length: 12 }, (_, from) =>
    createPiece(
      `word${from}`,
      from,
      docs.filter((doc) => (doc >> from) & 1),
    ),
  );

  expect(createMatcher(4096).match(pieces.slice(0, 9), 9)?.docs).toHaveLength(8);
  expect(createMatcher(4096).match(pieces, 12)).toBeNull();
});
