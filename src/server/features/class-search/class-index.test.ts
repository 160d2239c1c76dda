import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Class } from '#contract/entities.ts';
import { ClassIndex, type IndexQuery } from './class-index.ts';
import { loadShortForms } from './short-forms.ts';

const shortForms = loadShortForms(null);

const aClass: fc.Arbitrary<Class> = fc.record({
  classId: fc.constantFrom(
    'AAAAAAAAAAAAAAAA',
    'BBBBBBBBBBBBBBBB',
    'CCCCCCCCCCCCCCCC',
    'DDDDDDDDDDDDDDDD',
  ),
  name: fc.constantFrom(null, 'Old seminar'),
  courseName: fc.constantFrom(
    null,
    '',
    'Calculus III',
    'Data Structures',
    'Data, data and data',
    '微积分',
  ),
  subjectAbbreviation: fc.constantFrom(null, 'cs', 'CS', 'C S'),
  courseNumber: fc.constantFrom(null, '146', '1A'),
  sectionNumber: fc.constantFrom(null, '02', '3'),
  semesterSeason: fc.constantFrom(null, 'Fall', 'Spring'),
  classSchedule: fc.constantFrom(null, [], ['Monday'], ['Monday', 'Friday']),
  beginClassTime: fc.constant('09:00'),
  endClassTime: fc.constant('10:15'),
  memberCount: fc.nat(3),
  ended: fc.constant(false),
});

const queries = [
  '',
  'calc 3',
  'data',
  'dtaa',
  'cs 146 2',
  'cs',
  'c s 1a',
  '微',
  'old',
  'monday',
  'data and',
  'datastructures mw',
];

function listResults(index: ClassIndex) {
  const filters: IndexQuery['filter'][] = [
    [],
    [
      [{ facet: 'classSchedule', value: 'monday' }],
      [
        { facet: 'subjectAbbreviation', value: 'c s' },
        { facet: 'semesterSeason', value: 'Fall' },
      ],
    ],
  ];
  const facets = ['subjectAbbreviation', 'semesterSeason', 'classSchedule'] as const;
  return queries.flatMap((text) =>
    filters.map((filter) => {
      const result = index.find({ text, filter, facets, from: 0, count: 10 });
      return { ...result, text, filter };
    }),
  );
}

test('after any changes it answers as one made of what is left [SEARCH-31, SEARCH-18]', () => {
  const change = fc.oneof(
    aClass,
    fc.record({ gone: fc.constantFrom('AAAAAAAAAAAAAAAA', 'BBBBBBBBBBBBBBBB') }),
  );
  fc.assert(
    fc.property(fc.array(change, { maxLength: 25 }), (changes) => {
      const index = new ClassIndex(shortForms);
      const remainingClasses = new Map<string, Class>();
      for (const classChange of changes) {
        if ('gone' in classChange) {
          index.remove(classChange.gone);
          remainingClasses.delete(classChange.gone);
        } else {
          index.put(classChange);
          remainingClasses.set(classChange.classId, classChange);
        }
      }
      const fresh = new ClassIndex(shortForms);
      for (const indexedClass of remainingClasses.values()) fresh.put(indexedClass);
      expect(listResults(index)).toEqual(listResults(fresh));
      expect(listResults(index)[0]?.total).toBe(remainingClasses.size);
    }),
    { numRuns: 40 },
  );
});

test('of equal classes those with most members come first, then the order of codes [SEARCH-31]', () => {
  const index = new ClassIndex(shortForms);
  const rows: [string, string, string, number][] = [
    ['cs', '20', '01', 2],
    ['CS', '3', '02', 2],
    ['cs', '3', '01', 2],
    ['math', '1', '01', 5],
    ['art', '9', '01', 2],
  ];
  for (const [
    i,
    [subjectAbbreviation, courseNumber, sectionNumber, memberCount],
  ] of rows.entries()) {
    index.put({
      subjectAbbreviation,
      courseNumber,
      sectionNumber,
      memberCount,
      classId: `class${i}`.padEnd(16, 'x'),
      name: null,
      courseName: 'Same',
      semesterSeason: 'Fall',
      classSchedule: [],
      beginClassTime: null,
      endClassTime: null,
      ended: false,
    });
  }
  for (const text of ['', 'same']) {
    const { classes } = index.find({ text, filter: [], from: 0, count: 10, facets: [] });

    expect(
      classes.map(
        (indexedClass) =>
          `${indexedClass.subjectAbbreviation} ${indexedClass.courseNumber}-${indexedClass.sectionNumber}`,
      ),
    ).toEqual(['math 1-01', 'art 9-01', 'cs 3-01', 'CS 3-02', 'cs 20-01']);
  }
});
