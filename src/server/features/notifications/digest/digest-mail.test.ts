import { expect, test } from 'vitest';
import { createDigestMail } from './digest-mail.ts';

const digest = {
  to: 'ada@university.edu',
  appName: 'Backchannel',
  origin: 'https://chat.university.edu',
  unsubscribeUrl: 'https://chat.university.edu/unsubscribe?token=t',
  missed: [
    { label: 'CS 146', atLeast: 1 },
    { label: 'MATH 2', atLeast: 20 },
  ],
};

test.each([
  {
    language: 'en',
    subject: 'What you missed on Backchannel',
    lines: ['CS 146: fewer than 10 new messages', 'MATH 2: 20 or more new messages'],
  },
  {
    language: 'de',
    subject: 'Was du auf Backchannel verpasst hast',
    lines: ['CS 146: weniger als 10 neue Nachrichten', 'MATH 2: 20 oder mehr neue Nachrichten'],
  },
])('the daily mail is in the language of its account: $language [LAYOUT-128]', (expected) => {
  const { language, subject, lines } = expected;

  const mail = createDigestMail({ ...digest, language });

  expect(mail.subject).toBe(subject);
  expect(mail.text).toContain(`\n\n${lines.join('\n')}\n\n`);
  expect(mail.text).toContain('https://chat.university.edu/home\n');
});
