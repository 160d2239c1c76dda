import { expect, test } from 'vitest';
import { isReserved } from './reserved-names.ts';

test.each([
  'admin',
  'ADMIN',
  'Аdmin', // Cyrillic А
  'a d m i n',
  'Admin2',
  'The Admin',
  'Moderator',
  'mоderator', // Cyrillic о
  'Prof. Smith',
  'Dr Smith',
  'Professor',
  'Your Instructor',
  'Teaching Assistant',
  'T.A.',
  'teacher',
  'Staff 3',
  'Backchannel',
  'Back Channel team',
  'deleted',
  'Deleted user',
  'everyone',
])('%s is nobody’s [PERSONA-15]', (name) => {
  expect(isReserved(name, 'Backchannel')).toBe(true);
});

test.each([
  'Ada',
  'Modest',
  'Drew',
  'Tama',
  'Profiterole',
  'Badminton',
  'Anonymous',
  'Rooted',
  'Meg',
  'Fox 7',
])('%s is free [PERSONA-15]', (name) => {
  expect(isReserved(name, 'Backchannel')).toBe(false);
});

test('what the app is called here is nobody’s [PERSONA-15, CONF-4]', () => {
  expect(isReserved('Quad', 'Quad')).toBe(true);
  expect(isReserved('Quad', 'Backchannel')).toBe(false);
});
