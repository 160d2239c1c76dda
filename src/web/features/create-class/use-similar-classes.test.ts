import { expect, it } from 'vitest';
import { isSameCode } from './use-similar-classes.ts';

const coded = (subjectAbbreviation: string | null, courseNumber: string | null) => ({
  subjectAbbreviation,
  courseNumber,
});

it.each([
  [coded('CS', '146'), coded(' cs', '146 '), true],
  [coded('CS', '046'), coded('cs', '46'), true],
  [coded('ENGL', '1-B'), coded('engl', '1b'), true],
  [coded('CS', '146'), coded('CS', '14'), false],
  [coded('CS', '146'), coded('CSE', '146'), false],
  [coded('CS', '0'), coded('CS', ''), false],
  [coded('CS', '146'), coded(null, null), false],
])('%j and %j: %s [CREATE-18]', (typed, existing, same) => {
  expect(isSameCode(typed, existing)).toBe(same);
});
