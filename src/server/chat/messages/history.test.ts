import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { emojis } from '#contract/emojis.ts';
import type { Message } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { countJsonBytes, countMaxMessageBytes, countMaxPersonaBytes } from './history.ts';

const texts = ['', 'a', '"', '\\', '\n\t', 'é', '日本', '🦉', '<@abcdefghijklmnop>'].flatMap(
  (text) => [text, text.repeat(Math.floor(limits.messageText / Math.max(1, text.length)))],
);

/** The longest value of every other field. */
function createLongestMessage(text: string, reactionCount: number): Message {
  const now = 9_999_999_999_999;
  return {
    id: randomUUID(),
    seq: Number.MAX_SAFE_INTEGER,
    memberId: createRandomId(12),
    text,
    imageUrl: null,
    storagePath: null,
    images: [],
    createdAt: now,
    editedAt: now,
    replyTo: randomUUID(),
    quote: null,
    moderation: 'hidden',
    reactions: Object.fromEntries(
      Array.from({ length: reactionCount }, (_, n) => [
        createRandomId(12),
        emojis[n % emojis.length]!,
      ]),
    ),
  };
}

test.each(texts)(
  'a page with texts like %j is never larger than its estimate [CHAT-12]',
  (text) => {
    for (const reactionCount of [0, 1, 300]) {
      const message = createLongestMessage(text, reactionCount);
      expect(countMaxMessageBytes([message])).toBeGreaterThanOrEqual(countJsonBytes(message));
    }
  },
);

test('so is a page with quotes [CHAT-12]', () => {
  const quote = {
    memberId: createRandomId(12),
    anonymousName: 'Ada',
    text: '"'.repeat(200),
    imageCount: 0,
  };
  const message = { ...createLongestMessage('Hi', 2), quote };
  expect(countMaxMessageBytes([message])).toBeGreaterThanOrEqual(countJsonBytes(message));
});

test.each(['a', '"', '\\', '日', '🦉'])('so are personas with names like %j [CHAT-12]', (part) => {
  const anonymousName = part.repeat(limits.personaName / part.length);
  const persona = { memberId: createRandomId(12), anonymousName, icon: createRandomId(12) };
  expect(countMaxPersonaBytes([persona])).toBeGreaterThanOrEqual(countJsonBytes(persona));
});
