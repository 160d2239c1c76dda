import { expect, test } from 'vitest';
import type { Case } from '#contract/moderation.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { toEvidenceExcerpt } from './case-text.ts';

const memberId = 'author0000000000';

function createExcerpt(text: string, pages?: number): string {
  const persona = { memberId, anonymousName: 'Blue Fox', icon: 'a' };
  const images = pages ? [{ alt: 'Sheet 3', pages }] : [];
  const evidence = { text, images, createdAt: 1, edits: [], personas: [persona] };
  return toEvidenceExcerpt(evidence as unknown as Case['evidence']);
}

test('the queue shows the readable text of a case, without the marks of Markdown and with spoilers [MOD-51, MARKUP-32]', async () => {
  await markupParser.load();

  expect(
    createExcerpt(`**You** are ~~not~~ [late](https://example.org), ${toMentionToken(memberId)}`),
  ).toBe('You are not late, @Blue Fox');
  expect(createExcerpt('', 2)).toBe('PDF: Sheet 3');
  expect(createExcerpt('****')).toBe('****');
  expect(createExcerpt('You are ||late||')).toBe('You are late');
});
