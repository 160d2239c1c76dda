import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { isPlainLine } from '#contract/text.ts';
import { university } from '#tests/support/university.ts';
import { realText } from '#tests/support/university/arbitraries.ts';
import { createResetMail } from '../accounts/account-mails.ts';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
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
  const config = loadConfig({ SMTP_URL: smtp.url, PUBLIC_URL: 'https://chat.university.edu' });
  const transport = openMailTransport(config, createLog({ write: () => {} }));

  await transport.send({ to, subject: 'Hello', text: 'A text.\n' });
  transport.stop();

  expect(smtp.recipients.at(-1)).toBe(to);
  expect(smtp.taken.at(-1)).toContain(`\nTo: ${to}\n`);
});

/** Every name that APP_NAME can be. */
const appNames = fc
  .oneof(realText, fc.string({ unit: 'grapheme' }))
  .map((text) => text.slice(0, 40).toWellFormed().trim())
  .filter((name) => name !== '' && isPlainLine(name));

test('each mail is one file with the headers of every mail, whatever the name of the app and the address [MAIL-5, MAIL-6]', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'backchannel-mail-'));
  const dir = join(dataDir, 'mail');
  await fc.assert(
    fc.asyncProperty(appNames, fc.nat({ max: 999 }), realText, async (appName, n, token) => {
      const config = loadConfig({
        DATA_DIR: dataDir,
        APP_NAME: appName,
        PUBLIC_URL: 'https://chat.university.edu',
      });
      const transport = openMailTransport(config, createLog({ write: () => {} }));
      const to = `${university.createPerson(n).localPart}@university.edu`;
      const wellFormed = token.toWellFormed();
      for (const fileName of readdirSync(dir)) rmSync(join(dir, fileName));

      await transport.send(
        createResetMail({ to, language: 'en' }, appName, config.publicUrl.origin, wellFormed),
      );

      const [file = '', ...otherFiles] = readdirSync(dir);
      expect(otherFiles).toEqual([]);
      expect(file).toMatch(/^[\w-]+\.eml$/);
      const [head = '', ...text] = readFileSync(join(dir, file), 'utf8').split('\n\n');
      const headers = parseHeaders(head);
      expect([...headers.keys()]).toEqual([
        ...['auto-submitted', 'from', 'to', 'subject', 'message-id'],
        ...['content-transfer-encoding', 'date', 'mime-version', 'content-type'],
      ]);
      expect(headers.get('to')).toBe(to);
      expect(headers.get('subject')).toBe(`Set a new password for ${appName}`);
      // A name of quotation marks alone is left out.
      expect(headers.get('from')).toMatch(/(^| <)no-reply@chat\.university\.edu>?$/);
      const link = /https:\S+\/reset-password\S+/.exec(text.join('\n\n'))?.[0] ?? '';
      const parameters = new URLSearchParams(new URL(link).hash.slice(1));
      expect([...parameters]).toEqual([['token', wellFormed]]);
      transport.deleteMailsTo(to);
      transport.stop();
      expect(readdirSync(dir)).toEqual([]);
    }),
    { numRuns: 40 },
  );
  rmSync(dataDir, { recursive: true });
});

/** The headers in their order, unfolded (RFC 5322) and decoded (RFC 2047). */
function parseHeaders(head: string): Map<string, string> {
  const lines = head.replace(/\n(?=[ \t])/g, '').split('\n');
  return new Map(
    lines.map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 2))];
    }),
  );
}

function decodeWords(value: string): string {
  return value
    .replace(/(?<=\?=)\s+(?==\?)/g, '')
    .replace(/(?:=\?UTF-8\?[QB]\?[^?]*\?=)+/gi, (words) => {
      const bytes = [...words.matchAll(/\?([QB])\?([^?]*)\?=/gi)].map(
        ([, kind = '', content = '']) =>
          kind.toUpperCase() === 'B'
            ? Buffer.from(content, 'base64')
            : Buffer.from(
                content
                  .replaceAll('_', ' ')
                  .replace(/=([0-9A-F]{2})/gi, (_, hex: string) =>
                    String.fromCharCode(Number.parseInt(hex, 16)),
                  ),
                'latin1',
              ),
      );
      return Buffer.concat(bytes).toString('utf8');
    });
}
