import { expect, it } from 'vitest';
import { finishedEmoji, unfinishedEmoji } from './emoji-query.ts';
import { emojiCategories, emojiNamed, emojiOf, findEmoji } from './find-emoji.ts';

const nameAt = (text: string) => unfinishedEmoji(text, text.length);

it('completes a colon and two letters, but no time, address, smiley or code [SEND-31]', () => {
  expect(nameAt('Well done :ta')).toEqual({ name: 'ta', from: 10, to: 13 });
  expect(nameAt(':+1')).toEqual({ name: '+1', from: 0, to: 3 });
  for (const text of [
    'a :t',
    '10:30',
    'https://a',
    'std::vec',
    ':-)',
    ':(',
    '`x :ta',
    '```\n:ta',
  ]) {
    expect(nameAt(text)).toBeNull();
  }
  expect(unfinishedEmoji(':tada and', 3)).toEqual({ name: 'ta', from: 0, to: 3 });
  expect(finishedEmoji('so :tada:', 9)).toEqual({ name: 'tada', from: 3, to: 9 });
  expect(finishedEmoji('a:tada:', 7)).toBeNull();
});

it('finds the name first, then parts of names, then tags and descriptions [SEND-31]', () => {
  const emojiFor = (query: string) => findEmoji(query, 8).map(({ emoji }) => emoji);
  expect(emojiFor('heart')[0]).toBe('❤️');
  expect(emojiFor('tad')[0]).toBe('🎉');
  expect(emojiFor('party')).toContain('🎉');
  expect(emojiFor('Thumbs up')).toContain('👍');
  expect(emojiFor('d')).toHaveLength(8);
  expect(emojiFor('-d')).toEqual([]);
  expect(emojiFor('qqq')).toEqual([]);
  expect(emojiNamed('tada')).toBe('🎉');
});

it('puts every emoji into a category [SEND-32]', () => {
  expect(emojiCategories).toHaveLength(9);
  for (const category of emojiCategories) expect(emojiOf(category).length).toBeGreaterThan(50);
});
