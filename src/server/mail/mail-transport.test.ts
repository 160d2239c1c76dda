import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { readConfig } from '../config.ts';
import { createLog } from '../log.ts';
import { openMailTransport } from './mail-transport.ts';

let smtp: FakeSmtp;
beforeAll(async () => {
  smtp = await startFakeSmtp();
});
afterAll(() => smtp.stop());

test.each([
  "mary-ann.o'neil+notes@university.edu",
  'r&d=lab#2~old@university.edu',
  '_1@university.edu',
  // Addresses that older versions accepted. Nothing may turn them into a list or a name.
  '-oq/tmp@university.edu',
  'a%evil.test@university.edu',
  'evil.test!a@university.edu',
  '{a|b}$`?*^/@university.edu',
])('the mail server gets exactly %s as the recipient [AUTH-65, MAIL-9]', async (to) => {
  const config = readConfig({ SMTP_URL: smtp.url, PUBLIC_URL: 'https://chat.university.edu' });
  const transport = openMailTransport(config, createLog({ write: () => {} }));

  await transport.send({ to, subject: 'Hello', text: 'A text.\n' });
  transport.stop();

  expect(smtp.recipients.at(-1)).toBe(to);
  expect(smtp.taken.at(-1)).toContain(`\nTo: ${to}\n`);
});
