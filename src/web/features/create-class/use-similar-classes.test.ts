import { expect, it } from 'vitest';
import { isSameCode } from './use-similar-classes.ts';

const createCode = (subjectAbbreviation: string | null, courseNumber: string | null) => ({
  subjectAbbreviation,
  courseNumber,
});

it.each([
  [createCode('CS', '146'), createCode(' cs', '146 '), true],
  [createCode('CS', '046'), createCode('cs', '46'), true],
  [createCode('ENGL', '1-B'), createCode('engl', '1b'), true],
  [createCode('CS', '146'), createCode('CS', '14'), false],
  [createCode('CS', '146'), createCode('CSE', '146'), false],
  [createCode('CS', '0'), createCode('CS', ''), false],
  [createCode('CS', '146'), createCode(null, null), false],
])('%j and %j: %s [CREATE-18]', (newClass, existing, isSame) => {
  expect(isSameCode(newClass, existing)).toBe(isSame);
});
