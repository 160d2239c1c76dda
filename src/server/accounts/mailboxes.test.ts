import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import type { MailboxRules } from '#server/config/config-types.ts';
import { createMailboxes } from './mailboxes.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const mailboxes = (rules: Partial<MailboxRules> = {}) =>
  createMailboxes({ tags: 'ignored', dots: 'distinct', ...rules }, key);

test.each([
  ['Ada+notes@Uni.edu', 'ada@uni.edu'],
  ['ada+a+b@uni.edu', 'ada@uni.edu'],
  ['ada+@uni.edu', 'ada@uni.edu'],
  ['+ada@uni.edu', '+ada@uni.edu'],
  ['a.da@uni.edu', 'a.da@uni.edu'],
  ['ada@students.uni.edu', 'ada@students.uni.edu'],
])('mails to %s reach %s [AUTH-60, LIMIT-51]', (email, mailbox) => {
  expect(mailboxes().toMailbox(email)).toBe(mailbox);
  expect(mailboxes({ tags: 'distinct' }).toMailbox(email)).toBe(mailbox);
  expect(mailboxes().toKey(email)).toBe(mailboxes().toKey(mailbox));
});

test('ignores dots if the setting says so [CONF-39]', () => {
  const { toMailbox, toKey } = mailboxes({ dots: 'ignored' });
  expect(toMailbox('a.d.a+x.y@mail.uni.edu')).toBe('ada@mail.uni.edu');
  expect(toKey('a.d.a@uni.edu')).toBe(toKey('ada@uni.edu'));
  expect(mailboxes().toKey('a.d.a@uni.edu')).not.toBe(mailboxes().toKey('ada@uni.edu'));
});

test('treats tags as different accounts if the setting says so [CONF-38]', () => {
  const { toKey } = mailboxes({ tags: 'distinct' });
  expect(toKey('ada+x@uni.edu')).not.toBe(toKey('ada@uni.edu'));
  expect(toKey('Ada+X@uni.edu')).toBe(toKey('ada+x@uni.edu'));
});

test('derives different keys with another server key [AUTH-60, ANON-4]', () => {
  const other = createMailboxes(
    { tags: 'ignored', dots: 'distinct' },
    createSecretKey(Buffer.alloc(32, 8)),
  );
  expect(mailboxes().toKey('ada@uni.edu')).toMatch(/^[\w-]{22}$/);
  expect(other.toKey('ada@uni.edu')).not.toBe(mailboxes().toKey('ada@uni.edu'));
});
