import { expect, test } from 'vitest';
import { parseMessage } from '#web/markup/parse-message.ts';
import { checkMarkup } from './check-markup.ts';
import { fuzzMarkup } from './fuzz-markup.ts';

test('hostile texts have bounded markup that shows only what was typed, and no spoiler [MARKUP-4, MARKUP-11, MARKUP-15, MARKUP-17, MARKUP-30]', () => {
  const run = fuzzMarkup(1, { maxTexts: 400, deadline: Infinity });

  expect(run.faults).toEqual([]);
  expect(run.texts).toBe(400);
  expect(run.maxElements).toBeGreaterThan(500);
});

test.each<[string, Parameters<typeof checkMarkup>[1]]>([
  [
    'a mention that the server does not count',
    (text) => ({
      ...parseMessage(text),
      pieces: [...parseMessage(text).pieces, { kind: 'mention', memberId: 'a'.repeat(16) }],
    }),
  ],
  ['a text that was not typed at 0', (text) => parseText(text, 'typed too')],
  ['the letter t is not shown', () => ({ blocks: [], pieces: [], cost: 0, isMarked: false })],
  [
    'a link to javascript:x',
    (text) => parseText(text, { kind: 'link', href: 'javascript:x', target: null, content: [] }),
  ],
  [
    'a link to mailto:a@b.c?bcc=d@e.f',
    (text) =>
      parseText(text, { kind: 'link', href: 'mailto:a@b.c?bcc=d@e.f', target: null, content: [] }),
  ],
  [
    'it throws: Error: planted',
    () => {
      throw new Error('planted');
    },
  ],
])('the check finds %s', (fault, parse) => {
  expect(checkMarkup('typed').faults).toEqual([]);
  expect(checkMarkup('typed', parse).faults).toEqual([fault]);
});

type Inline = Extract<
  ReturnType<typeof parseMessage>['blocks'][number],
  { kind: 'paragraph' }
>['content'][number];

/** The markup of a text with a planted part. */
function parseText(text: string, planted: Inline | string): ReturnType<typeof parseMessage> {
  if (typeof planted !== 'string') {
    return {
      blocks: [{ kind: 'paragraph', content: [planted] }],
      pieces: parseMessage(text).pieces,
      cost: 0,
      isMarked: false,
    };
  }
  return {
    blocks: [],
    pieces: [{ kind: 'text', text: planted, from: 0 }],
    cost: 0,
    isMarked: false,
  };
}
