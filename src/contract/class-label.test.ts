import { describe, expect, test } from 'vitest';
import { compareClasses, toClassLabel } from './class-label.ts';

const bare = { subjectAbbreviation: null, courseNumber: null, courseName: null, name: null };

describe('a class’s label', () => {
  test.each([
    [{ subjectAbbreviation: 'cs', courseNumber: '146b' }, 'CS 146B'],
    [{ subjectAbbreviation: ' ', courseNumber: '146', courseName: 'Algorithms' }, 'ALGORITHMS'],
    [{ subjectAbbreviation: 'cs', courseName: 'Straße' }, 'STRASSE'],
    [{ courseName: '', name: 'Old name' }, 'OLD NAME'],
    [{ subjectAbbreviation: 'cs' }, 'CS'],
    [{}, 'UNNAMED CLASS'],
  ])('a class’s label of %j is %s [LIST-4]', (fields, label) => {
    expect(toClassLabel({ ...bare, ...fields })).toBe(label);
  });
});

test('classes are sorted by subject, number and name, and numbers by their value [LIST-3]', () => {
  const classes = [
    { subjectAbbreviation: 'math', courseNumber: '32' },
    { subjectAbbreviation: 'cs', courseNumber: '146' },
    { subjectAbbreviation: 'Cs', courseNumber: '9' },
    { name: 'Old seminar' },
    { courseName: 'A course without a code' },
    {},
  ].map((fields) => ({ ...bare, ...fields }));

  expect(classes.toSorted(compareClasses).map(toClassLabel)).toEqual([
    'UNNAMED CLASS',
    'A COURSE WITHOUT A CODE',
    'OLD SEMINAR',
    'CS 9',
    'CS 146',
    'MATH 32',
  ]);
});
