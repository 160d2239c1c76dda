import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isUniversityEmail } from '#contract/email-address.ts';
import { findPersonalDetail } from './personal-details.ts';

const me = 'ada.lovelace@university.edu';

it.each([
  // Email addresses
  'Write to ada.lovelace@university.edu',
  'ADA.LOVELACE@UNIVERSITY.EDU is mine',
  'mail me at first.last+chem@mail.university.ac.uk please',
  '<someone@gmail.com>',
  'a_b@c.io',
  'jo@web.de?',
  'mailto:bob@example.com',
  // Phone numbers
  'Call me: +1 555 123 4567',
  'Call me: (555) 123-4567',
  '555-123-4567',
  'my number is 555.123.4567',
  '+49 171 2345678',
  '0171 2345678',
  '0171/2345678',
  '06 12 34 56 78',
  'Text +33 6 12 34 56 78.',
  '+442079460958',
  'whatsapp +91 98765 43210',
  '415 555 2671 is mine',
  'tel 089-1234567',
  // Student numbers
  'My student number is 12345678',
  '1234567',
  'I am 0012345678',
  'matriculation number: 3456789.',
  'a1234567',
  's1234567 is my id',
  '7654321, please',
  // Names
  'I am Ada Lovelace',
  'ada lovelace',
  'Lovelace, Ada',
  'LOVELACE ADA',
  'Signed: Ada K. Lovelace',
  'Ask Ada  Lovelace about it',
  '(Ada Lovelace)',
  'my user name is ada.lovelace',
  'Regards,\nAda Lovelace',
  '**Ada Lovelace**',
])('warns before %j is sent [SEND-37]', (text) => {
  expect(findPersonalDetail(text, me)).not.toBeNull();
});

it.each([
  'CS 146 is in room 2.104',
  'MATH 2210 and PHYS 1101-003',
  'The exam is on 2026-11-22 at 10:30',
  'from 14:00 to 15:30',
  'Due 11/22/2026',
  '22.11.2026, 09:15',
  'The years 1990-2020',
  'In 1969 and 2024',
  'It costs $1,299.99',
  '3.50 € or 12,000 dollars',
  'USD 1000000',
  'ISBN 978-3-16-148410-0',
  'ISBN 9783161484100',
  'pages 101-123, 200-234',
  'Problems 1, 2, 3, 4, 5, 6, 7',
  '1 2 3 4 5 6 7 8 9 10',
  '3.14159265358979',
  '2.99792458 × 10^8 m/s',
  '6.02214076e23',
  '299792458*2',
  '1048576 bytes',
  '10000000 iterations take long',
  '2^31 = 2147483648',
  'x = 12345678',
  '`12345678` is the seed',
  '`a@b.com` is an example',
  '```\nid = 12345678\n```',
  '```\nmail("a@b.com")',
  '$12345678 + x$ is a formula',
  '$$\\sum 12345678$$',
  '\\(12345678 + x\\) and \\[ 12345678 \\]',
  '\\begin{align}\n12345678 &= x\n\\end{align}',
  'https://a.example/12345678',
  'see https://a.example/?mail=a@b.com',
  'www.example.org/1234567',
  'https://doi.org/10.1145/3368089.3409742',
  'commit 1234567abc',
  'arXiv 2104.08653',
  'RFC 2616 and RFC 7231',
  '192.168.100.200',
  '10.0.0.1:8080',
  '20261122',
  'Room 1204, floor 3',
  'Section 003 meets Mon & Wed',
  'Chapter 12.3.4',
  'Bus 405 at 8:15',
  'Scores: 99, 87, 76',
  'ratio 16:9 or 1920x1080',
  '100,000,000 rows',
  '1.000.000 users',
  'array[1234567]',
  'f(12345678)',
  'port 8080, pid 12345',
  'I like @home and @work',
  'user@ is not complete',
  'Ada is a programming language',
  'Lovelace wrote the first program',
  'Ada and Lovelace',
  'Adalovelace',
  'about 0.1234567 of it',
  '50% of 1234567%',
  'answer: 42',
  'y < 12345678',
  '3000000 elements',
  'version 1.22.333-4444',
  'do 5 6 7 8 then 0 1 0 1',
])('sends %j without a question [SEND-37]', (text) => {
  expect(findPersonalDetail(text, me)).toBeNull();
});

it('says which detail it found [SEND-37]', () => {
  const find = (text: string, email = me) => findPersonalDetail(text, email);
  expect(find(`I am ${me}`)).toBe('your email address');
  expect(find('b@c.example')).toBe('an email address');
  expect(find('(555) 123-4567')).toBe('a phone number');
  expect(find('12345678')).toBe('a student number');
  expect(find('Ada Lovelace')).toBe('your name');
  expect(find('I am al123', 'al123@university.edu')).toBe('your name');
  expect(find('Ada Lovelace', '')).toBeNull();
  expect(find('park', 'park@university.edu')).toBeNull();
});

const domain = 'university.edu';
const allowedCharacters = Array.from({ length: 94 }, (_, n) => String.fromCodePoint(33 + n)).filter(
  (character) => isUniversityEmail(`ab${character}cd@${domain}`, [domain]),
);

it.each(allowedCharacters)(
  'a student with %j in the address can send, and is asked about the own user name [SEND-37]',
  (character) => {
    const user = `mary1${character}smith`;
    expect(findPersonalDetail('See you on Monday.', `${user}@${domain}`)).toBeNull();
    // A tag is no part of the user name.
    const name = character === '+' ? 'mary1' : user;
    expect(findPersonalDetail(`I am ${name}!`, `${user}@${domain}`)).toBe('your name');
  },
);

it('finds the whole user name of any address, and never throws [SEND-37]', () => {
  const localPart = fc
    .array(fc.constantFrom(...allowedCharacters), { minLength: 1, maxLength: 64 })
    .map((characters) => characters.join(''))
    .filter((local) => isUniversityEmail(`${local}@${domain}`, [domain]));
  fc.assert(
    fc.property(localPart, fc.string({ unit: 'grapheme' }), (local, text) => {
      const email = `${local}@${domain}`;
      findPersonalDetail(text, email);
      const user = local.replace(/\+.*$/, '');
      const isName = user.replaceAll('-', '').length >= 5 && /[\d._-]/.test(user);
      // In a text, these write code, formulas, links and addresses.
      if (isName && !/[`$@]|www\.|:\/\//i.test(user)) {
        expect(findPersonalDetail(`I am ${user} here`, email)).not.toBeNull();
      }
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['mary-ann.smith', 'I am Mary-Ann Smith'],
  ['mary-ann.smith', 'I am Mary Ann Smith'],
  ['mary-ann.smith', 'Smith, Mary-Ann'],
  ['mary-ann.smith', 'I am Mary Smith'],
  ['mary-ann.smith', 'my user name is mary-ann.smith'],
  ["sean.o'brien", 'I am Sean O’Brien'],
  ["sean.o'brien", "Sean O'Brien here"],
  ['jean_luc-picard', 'Jean Luc Picard'],
  ['garcia-lopez.maria', 'María? No: Maria Garcia-Lopez'],
])('the owner of %s is asked before %j is sent [SEND-37]', (user, text) => {
  expect(findPersonalDetail(text, `${user}@${domain}`)).toBe('your name');
});
