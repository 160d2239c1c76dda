import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { createMailboxes } from './mailboxes.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const { toMailbox, toKey } = createMailboxes(new Map(), key);

test.each([
  ['Ada+notes@Uni.edu', 'ada@uni.edu'],
  ['ada+a+b@uni.edu', 'ada@uni.edu'],
  ['ada+@uni.edu', 'ada@uni.edu'],
  ['+ada@uni.edu', '+ada@uni.edu'],
  ['a.da@uni.edu', 'a.da@uni.edu'],
  ['ada@students.uni.edu', 'ada@students.uni.edu'],
])('mails to %s reach %s [AUTH-60, LIMIT-51]', (email, mailbox) => {
  expect(toMailbox(email)).toBe(mailbox);
  expect(toKey(email)).toBe(toKey(mailbox));
});

test('derives different keys with another server key [AUTH-60, ANON-3]', () => {
  const other = createMailboxes(new Map(), createSecretKey(Buffer.alloc(32, 8)));
  expect(toKey('ada@uni.edu')).toMatch(/^[\w-]{22}$/);
  expect(other.toKey('ada@uni.edu')).not.toBe(toKey('ada@uni.edu'));
});
