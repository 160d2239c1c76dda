import { gemoji } from 'gemoji';
import { expect, test } from 'vitest';
import { isEmojiOnly } from './emoji-only.ts';

test('every emoji of the picker is shown large, alone and with others [MARKUP-9]', () => {
  const all = gemoji.map(({ emoji }) => emoji);
  expect(all.length).toBeGreaterThan(1500);
  // A few are sent without the selector that makes them emoji.
  const isEmoji = /^\p{RGI_Emoji}$/v;
  expect(all.filter((emoji) => isEmojiOnly(emoji) !== isEmoji.test(emoji))).toEqual([]);
  expect(all.filter((emoji) => isEmojiOnly(` ${emoji} 🎉`) !== isEmoji.test(emoji))).toEqual([]);
});

test.for(['', ' ', 'a', '1', '#', '10 🎉', 'so 🎉', '中🎉', '🎉 so', '🎉'.repeat(7)])(
  '%j is not shown large [MARKUP-9]',
  (text) => {
    expect(isEmojiOnly(text)).toBe(false);
  },
);
