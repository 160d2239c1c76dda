import { expect, it } from 'vitest';
import type { Class } from '#contract/entities.ts';
import { matchClasses } from './match-classes.ts';

const createClass = (subjectAbbreviation: string, courseNumber: string, courseName: string) =>
  ({ classId: courseName, subjectAbbreviation, courseNumber, courseName }) as Class;

const classes = [
  createClass('art', '12', 'Drawing Structures'),
  createClass('cs', '146', 'Data Structures'),
  createClass('cs', '46', 'Économie'),
  createClass('math', '32', 'Calculus'),
];

it.each([
  ['', ['Drawing Structures', 'Data Structures', 'Économie', 'Calculus']],
  ['cs146', ['Data Structures']],
  ['CS 46', ['Économie', 'Data Structures']],
  ['46', ['Économie', 'Data Structures']],
  ['struct', ['Drawing Structures', 'Data Structures']],
  ['dtst', ['Data Structures']],
  ['econ', ['Économie']],
  ['calc-ulus', ['Calculus']],
  ['zzz', []],
  ['...', ['Drawing Structures', 'Data Structures', 'Économie', 'Calculus']],
])('finds for "%s" the classes %j, best first [KEY-2]', (query, courseNames) => {
  expect(matchClasses(classes, query).map(({ courseName }) => courseName)).toEqual(courseNames);
});
