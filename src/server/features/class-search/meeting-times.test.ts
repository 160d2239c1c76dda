import { describe, expect, test } from 'vitest';
import { tokenize } from '#server/base/tokenizer.ts';
import { parseDays, parseMeetingTime } from './meeting-times.ts';

test.each([
  ['mwf', ['Monday', 'Wednesday', 'Friday']],
  ['mw', ['Monday', 'Wednesday']],
  ['tuth', ['Tuesday', 'Thursday']],
  ['tth', ['Tuesday', 'Thursday']],
  ['tr', ['Tuesday', 'Thursday']],
  ['tuesthurs', ['Tuesday', 'Thursday']],
  ['mtwthf', ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']],
  ['sasu', ['Saturday', 'Sunday']],
  ['th', []],
  ['m', []],
  ['fm', []],
  ['math', []],
])('%s names %j [SEARCH-101]', (letters, days) => {
  expect(parseDays(letters)).toEqual(days);
});

describe('a meeting time', () => {
  const parseAtStart = (text: string) => parseMeetingTime(text, tokenize(text), 0);
  test.each([
    ['morning', 1, 0, 719, 'before noon'],
    ['evenings', 1, 1020, 1439, 'from 5 PM'],
    ['10am', 2, 600, 659, 'at 10 AM'],
    ['10:30', 2, 630, 630, 'at 10:30 AM'],
    ['1:05 pm', 3, 785, 785, 'at 1:05 PM'],
    ['530pm', 2, 1050, 1050, 'at 5:30 PM'],
    ['2:00', 2, 840, 840, 'at 2 PM'],
    ['12am', 2, 0, 59, 'at 12 AM'],
    ['after 5', 2, 1020, 1439, 'from 5 PM'],
    ['before 9:30', 3, 0, 569, 'before 9:30 AM'],
  ])('%s is read [SEARCH-101]', (text, length, from, to, label) => {
    expect(parseAtStart(text)).toEqual({ length, begins: { from, to }, label });
  });

  test.each([
    ...['10', '146', '10 30', '25:00', '10:75', 'after', 'after class', '99999pm', 'am'],
    'constructors', // every object in JavaScript has a 'constructor'
  ])('%s is none [SEARCH-101]', (text) => {
    expect(parseAtStart(text)).toBeNull();
  });
});
