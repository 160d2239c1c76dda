import { dictionary } from '@zxcvbn-ts/language-common';
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
  'ProfSmith',
  'profsmith',
  'DrBob',
  'TA Mike',
  'TAMike',
  'mike - ta',
  'TAs',
  'Moderators',
  'Admins',
  'adminbob',
  'TheAdmin',
  '4dm1n',
  'M0d3rator',
  'P r o f Smith',
  'T. A. Mike',
  'Pro fessor X',
  'Aclmin',
  'Theteacher',
  'Профессор',
  'админ',
  'profesora Ana',
  'Le professeur',
  'Herr Dozent',
  '教授',
  '王老师',
  '田中先生',
  '김교수님',
  'الأستاذ أحمد',
  'Рrof Smith', // Cyrillic Р
])('%s is reserved [PERSONA-15]', (name) => {
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
  'Andrea',
  'Tanya',
  'Modesty',
  'Administer',
  'Profit',
  'Profile',
  'Professional',
  'Clean Slate',
  'Roots',
  'LaTasha',
  'Agent 47',
  'Stafford',
  'Supporter',
  'Mamod',
  'Иван',
  '小熊',
])('%s is available [PERSONA-15]', (name) => {
  expect(isReserved(name, 'Backchannel')).toBe(false);
});

test('the configured name of the app is reserved [PERSONA-15, CONF-4]', () => {
  expect(isReserved('Quad', 'Quad')).toBe(true);
  expect(isReserved('Quad', 'Backchannel')).toBe(false);
});

test('of the ordinary words and names, only these are refused [PERSONA-25]', () => {
  const common = dictionary['passwords-common'].filter((word) => /^[a-z]{3,12}$/.test(word));
  const names = [...dictionary['diceware-common'], ...common.slice(0, 12_000)];
  const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  const refused = names.filter((name) => isReserved(capital(name), 'Backchannel'));
  expect(names.length).toBeGreaterThan(15_000);
  expect([...new Set(refused)].toSorted()).toEqual([
    ...[
      'admin',
      'dean',
      'everybody',
      'everyone',
      'faculty',
      'lecturer',
      'nobody',
      'null',
      'operator',
    ],
    ...['professor', 'registrar', 'removed', 'root', 'security', 'server', 'somebody', 'staff'],
    ...['support', 'system', 'teacher', 'tutor', 'undefined', 'university', 'webmaster'],
  ]);
  // These refusals are intended. 'Dean' is the only ordinary name among them.
  expect(refused.length / names.length).toBeLessThan(0.005);
});
