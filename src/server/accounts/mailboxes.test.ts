import { createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import type { MailboxRules } from '#server/config/config-types.ts';
import { createMailboxes } from './mailboxes.ts';

const key = createSecretKey(Buffer.alloc(32, 7));
const createTestMailboxes = (rules: Partial<MailboxRules> = {}) =>
  createMailboxes({ tags: 'ignored', dots: 'distinct', domainAliases: new Map(), ...rules }, key);

test.each([
  ['Ada+notes@Uni.edu', 'ada@uni.edu'],
  ['ada+a+b@uni.edu', 'ada@uni.edu'],
  ['ada+@uni.edu', 'ada@uni.edu'],
  ['+ada@uni.edu', '+ada@uni.edu'],
  ['a.da@uni.edu', 'a.da@uni.edu'],
  ['ada@students.uni.edu', 'ada@students.uni.edu'],
])('mails to %s reach %s [AUTH-60, LIMIT-51]', (email, mailbox) => {
  expect(createTestMailboxes().toMailbox(email)).toBe(mailbox);
  expect(createTestMailboxes({ tags: 'distinct' }).toMailbox(email)).toBe(mailbox);
  expect(createTestMailboxes().toKey(email)).toBe(createTestMailboxes().toKey(mailbox));
});

test('ignores dots if the setting says so [CONF-38]', () => {
  const { toMailbox, toKey } = createTestMailboxes({ dots: 'ignored' });
  expect(toMailbox('a.d.a+x.y@mail.uni.edu')).toBe('ada@mail.uni.edu');
  expect(toKey('a.d.a@uni.edu')).toBe(toKey('ada@uni.edu'));
  expect(createTestMailboxes().toKey('a.d.a@uni.edu')).not.toBe(
    createTestMailboxes().toKey('ada@uni.edu'),
  );
});

test('treats tags as different accounts if the setting says so [CONF-38]', () => {
  const { toKey } = createTestMailboxes({ tags: 'distinct' });
  expect(toKey('ada+x@uni.edu')).not.toBe(toKey('ada@uni.edu'));
  expect(toKey('Ada+X@uni.edu')).toBe(toKey('ada+x@uni.edu'));
});

test('derives different keys with another server key [AUTH-60, ANON-3]', () => {
  const other = createMailboxes(
    { tags: 'ignored', dots: 'distinct', domainAliases: new Map() },
    createSecretKey(Buffer.alloc(32, 8)),
  );
  expect(createTestMailboxes().toKey('ada@uni.edu')).toMatch(/^[\w-]{22}$/);
  expect(other.toKey('ada@uni.edu')).not.toBe(createTestMailboxes().toKey('ada@uni.edu'));
});
