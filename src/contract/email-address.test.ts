import { expect, test } from 'vitest';
import {
  findAddressError,
  formatDomainChoice,
  isUniversityEmail,
  parseTypedEmail,
} from './email-address.ts';
import { AppError } from './errors.ts';

test.each([
  // A byte order mark, a zero-width space, a soft hyphen, direction marks, a no-break space, a line break.
  '\uFEFFada@kings.edu',
  '\u200Bada@kings.edu\u200B',
  'ada@kings\u00AD.edu',
  '\u200E\u202Aada@kings.edu\u202C',
  '\u00A0ada@kings.edu\r\n',
  '"Lovelace, Ada" <ada@kings.edu>',
  'Ada <ada@kings.edu>,',
  '<ada@kings.edu>',
  'ada@kings.edu <mailto:ada@kings.edu>',
  'mailto:ada@kings.edu',
  'MAILTO:ada@kings.edu?subject=Hello',
  'mailto: ada%40kings.edu',
  'Ada <mailto:ada%40kings.edu?cc=eve%40kings.edu>',
  'ada@kings.edu;',
  'ada@kings.edu.',
  'ａｄａ＠ｋｉｎｇｓ．ｅｄｕ',
])('%j is understood as ada@kings.edu [AUTH-73]', (text) => {
  expect(parseTypedEmail(text)).toBe('ada@kings.edu');
});

test.each([
  'ada@kings.edu\nbcc:eve@evil.example',
  'ada@kings.edu, eve@kings.edu',
  'ada@kings.edu eve',
  'Ada <ada@kings.edu>, Eve <eve@kings.edu>',
  '<eve@kings.edu><ada@kings.edu>',
  'ada+mailto:x@kings.edu',
  'ada@evil.example>@kings.edu',
])('%j stays what it is, and is no address [AUTH-73, AUTH-26]', (text) => {
  expect(parseTypedEmail(text)).toBe(text);
  expect(isUniversityEmail(text, ['kings.edu'])).toBe(false);
});

test('the time to read an address grows linearly with its length', () => {
  // A quadratic algorithm would run for hours on these texts.
  for (const unit of [' ', ',', '<', '<a>', '>,']) {
    const text = `a${unit.repeat(1_000_000)}x`;
    expect(parseTypedEmail(text)).toBe(text);
  }
});

test.each([
  ['ada@kings.edu', true],
  ['Ada.L+notes@KINGS.edu', true],
  // The Kelvin sign lower-cases to k; the long s upper-cases to S.
  ['ada@\u212Aings.edu', false],
  ['ada@king\u017F.edu', false],
  // A Cyrillic letter, a full-width letter, a dot of another script, a zero-width space.
  ['ada@k\u0456ngs.edu', false],
  ['ada@\uFF4Bings.edu', false],
  ['ada@kings\u3002edu', false],
  ['ada@kings.edu\u200B', false],
  ['\u0430da@kings.edu', false],
  ['ada@kings.edu ', false],
  ['ada@xn--ings-7na.edu', false],
])('%j is an address of kings.edu: %j [AUTH-26, AUTH-73]', (email, ours) => {
  expect(isUniversityEmail(email, ['kings.edu'])).toBe(ours);
});

test('accepts addresses of each of several domains, and of no other domain [CONF-37, AUTH-4]', () => {
  const domains = ['uni.edu', 'students.uni.edu'];
  const isOurs = (email: string) => isUniversityEmail(email, domains);
  expect(['a@uni.edu', 'a@Students.UNI.edu'].map(isOurs)).toEqual([true, true]);
  expect(['a@alumni.uni.edu', 'a@uni.edu,students.uni.edu', 'a@edu'].map(isOurs)).toEqual([
    ...[false, false, false],
  ]);
});

test.each([
  [['uni.edu'], 'Please use a valid @uni.edu email address.'],
  [
    ['uni.edu', 'students.uni.edu'],
    'Please use a valid @uni.edu or @students.uni.edu email address.',
  ],
  [['a.edu', 'b.edu', 'c.edu'], 'Please use a valid @a.edu, @b.edu or @c.edu email address.'],
])('names each of the domains %j in the sentence [CONF-37, AUTH-4]', (domains, sentence) => {
  const addresses = formatDomainChoice(domains);

  expect(new AppError('WRONG_EMAIL_DOMAIN', { addresses }).message).toBe(sentence);
});

test('a new address has only the characters that mail servers take literally [AUTH-65]', () => {
  const findErrorCode = (local: string) => findAddressError(`${local}@uni.edu`, ['uni.edu']);
  const all = Array.from({ length: 0x180 }, (_, n) => String.fromCharCode(n));
  const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

  const innerCharacters = all.filter((character) => findErrorCode(`a${character}b`) === null);
  const firstCharacters = all.filter((character) => findErrorCode(`${character}ab`) === null);

  expect(innerCharacters.toSorted()).toEqual(Array.from(`${alphanumeric}._-+'&=#~`).toSorted());
  expect(firstCharacters.toSorted()).toEqual(Array.from(`${alphanumeric}_`).toSorted());
  expect(['a', 'mary-ann.smith', 'a.b.c', 'x'.repeat(64)].map(findErrorCode)).toEqual([
    ...[null, null, null, null],
  ]);
  expect(['', '.a', 'a.', 'a..b', '"a b"', 'a%b', 'b!a', '-oQ/tmp'].map(findErrorCode)).toEqual([
    ...Array.from({ length: 5 }, () => 'WRONG_EMAIL_DOMAIN'),
    ...Array.from({ length: 3 }, () => 'EMAIL_CHARACTERS'),
  ]);
});
