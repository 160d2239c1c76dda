import { expect, test } from 'vitest';
import { toPersonaNameKey } from './persona-name-key.ts';

test.each([
  ['Bill', 'bill'],
  ['Bill', 'BiIl'],
  ['Adam', 'Аdаm'], // Cyrillic А and а
  ['Adam', 'Adarn'],
  ['Adam', 'ᴀdam'],
  ['Cool', 'C00l'],
  ['Blue Fox', 'BlueFox'],
  ['Blue Fox', 'blue-fox.'],
  ['Jose', 'José'],
  ['Jose', 'Jose\u0323'],
  ['Omar', 'Οmar'], // Greek Ο
  ['Wanda', 'VVanda'],
  ['clara', 'dara'],
  ['kim', 'ким'],
  ['Kim', 'КИМ'],
  ['محمد', 'محـمد'], // with a kashida, which makes the word wider
])('%s and %s look alike [PERSONA-14]', (firstName, secondName) => {
  expect(toPersonaNameKey(firstName)).toBe(toPersonaNameKey(secondName));
});

test.each([
  ['می\u200cروم', 'میروم'],
  ['می\u200cروم', 'می روم'],
  ['ශ්\u200dරී', 'ශ්රී'],
  ['क्\u200dष', 'क्\u200cष'],
  ['അവൻ', 'അവന്\u200d'],
  ['മകൾ', 'മകള്\u200d'],
  ['সৎ', 'সত্\u200d'],
])('%s and %s look alike, because joiners do not count [PERSONA-28]', (firstName, secondName) => {
  expect(toPersonaNameKey(firstName)).toBe(toPersonaNameKey(secondName));
});

test.each([
  ['Ada', 'Eda'],
  ['Fox', 'Fox 2'],
  ['Fox 2', 'Fox 3'],
  ['שלום', 'שלמה'],
  ['小熊', '大熊'],
  ['?!a', 'b?!'],
  ['กา', 'ก่า'],
  ['Иван', 'Павел'],
  ['Lucia', 'Luda'],
])('%s and %s do not [PERSONA-14]', (firstName, secondName) => {
  expect(toPersonaNameKey(firstName)).not.toBe(toPersonaNameKey(secondName));
});
