import { expect, test } from 'vitest';
import { guessColumns, parseRows } from './class-csv.ts';
import { toRegistrarRows } from './one-roster.ts';

const sessions = [
  ['sourcedId', 'status', 'title', 'type', 'startDate', 'endDate'],
  ['t1', 'active', 'Fall Term 2026', 'term', '2026-08-24', '2026-12-18'],
  ['t2', 'active', 'Semester 2', 'term', '2027-01-11', '2027-05-14'],
];
const courses = [
  ['sourcedId', 'title', 'courseCode'],
  ['c1', 'Data Structures', 'CS-146'],
  ['c2', 'Analysis I', 'MATH 30'],
];

function parseClasses(...classes: string[][]) {
  const header = ['sourcedId', 'status', 'title', 'courseSourcedId', 'classCode', 'termSourcedIds'];
  const [headers = [], ...rows] = toRegistrarRows({
    'classes.csv': [header, ...classes],
    'courses.csv': courses,
    'academicSessions.csv': sessions,
  });
  return parseRows({ cells: rows, headerLine: 1 }, guessColumns(headers), {
    season: '',
    year: null,
  }).lines;
}

test('a class has the code and name of its course, and its first term [ADMIN-81]', () => {
  const lines = parseClasses(
    ['k1', 'active', 'Data Structures 02', 'c1', 'CS-146-02', 't1,t2'],
    ['k2', 'tobedeleted', 'Old', 'c1', 'CS-146-03', 't1'],
    ['k3', 'active', 'Analysis', 'c2', 'A', 't2'],
  );

  const schedule = { classSchedule: [], beginClassTime: '', endClassTime: '' };
  expect(lines).toEqual([
    {
      line: 2,
      problem: null,
      fields: {
        subjectAbbreviation: 'CS',
        courseNumber: '146',
        sectionNumber: '02',
        courseName: 'Data Structures',
        semesterSeason: 'Fall',
        year: 2026,
        ...schedule,
      },
    },
    {
      line: 4,
      problem: null,
      fields: {
        subjectAbbreviation: 'MATH',
        courseNumber: '30',
        sectionNumber: 'A',
        courseName: 'Analysis I',
        semesterSeason: 'Spring',
        year: 2027,
        ...schedule,
      },
    },
  ]);
});

test('the blank line at the end of classes.csv is no wrong line [ADMIN-81]', () => {
  const lines = parseClasses(['k1', 'active', 'Data Structures 02', 'c1', 'CS-146-02', 't1'], ['']);

  expect(lines.map(({ line, problem }) => [line, problem])).toEqual([[2, null]]);
});

test('a class without its course or its term says what is missing [ADMIN-81]', () => {
  const [withoutCourse, withoutTerm] = parseClasses(
    ['k1', 'active', 'Data Structures', 'c9', '02', 't1'],
    ['k2', 'active', 'Data Structures', 'c1', '02', 't9'],
  );

  expect(withoutCourse?.problem).toBe('Subject, Course number: nothing is there.');
  expect(withoutTerm?.problem).toBe('Season, Year: nothing is there.');
});
