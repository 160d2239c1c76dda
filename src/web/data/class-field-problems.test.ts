import { expect, test } from 'vitest';
import { findFieldProblems } from './class-field-problems.ts';

const complete = {
  courseName: 'Botany',
  subjectAbbreviation: 'bot',
  courseNumber: '1',
  sectionNumber: '2',
  semesterSeason: 'Fall' as const,
  classSchedule: ['Monday' as const],
  beginClassTime: '09:00',
  endClassTime: '10:00',
};

test('A complete class has no problem [CREATE-21]', () => {
  expect(findFieldProblems(complete)).toEqual({});
});

test.each([
  ['courseName', '  ', 'Please fill this in.'],
  ['subjectAbbreviation', '', 'Please fill this in.'],
  ['courseNumber', '', 'Please fill this in.'],
  ['sectionNumber', '', 'Please fill this in.'],
  ['semesterSeason', '', 'Please choose a season.'],
  ['classSchedule', [], 'Please choose a day.'],
  ['beginClassTime', '', 'Please enter a time.'],
  ['endClassTime', '', 'Please enter a time.'],
])('A class without %s says so at this field alone [CREATE-21]', (name, value, sentence) => {
  expect(findFieldProblems({ ...complete, [name]: value })).toEqual({ [name]: sentence });
});

test('A class that ends before it begins says so at both times [CREATE-21]', () => {
  expect(findFieldProblems({ ...complete, endClassTime: '09:00' })).toEqual({
    beginClassTime: 'Must be before the end time.',
    endClassTime: 'Must be after the start time.',
  });
});

test('Operators can leave out days and times, but not one of the times [ADMIN-80]', () => {
  const noTimes = { ...complete, classSchedule: [], beginClassTime: '', endClassTime: '' };

  expect(findFieldProblems(noTimes, true)).toEqual({});
  expect(findFieldProblems({ ...noTimes, beginClassTime: '09:00' }, true)).toEqual({
    endClassTime: 'Please enter a time.',
  });
});
