import { expect, it } from 'vitest';
import { findFinishedEmoji, findUnfinishedEmoji } from './emoji-query.ts';
import {
  describeEmoji,
  emojiCategories,
  findEmojiByName,
  listEmojiOfCategory,
  listRecentFirst,
  findEmoji,
} from './find-emoji.ts';

const findEmojiQuery = (text: string) => findUnfinishedEmoji(text, text.length);

it('completes a colon and two letters, but no time, address, smiley or code [SEND-31]', () => {
  expect(findEmojiQuery('Well done :ta')).toEqual({ name: 'ta', from: 10, to: 13 });
  expect(findEmojiQuery(':+1')).toEqual({ name: '+1', from: 0, to: 3 });
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
    expect(findEmojiQuery(text)).toBeNull();
  }
  expect(findUnfinishedEmoji(':tada and', 3)).toEqual({ name: 'ta', from: 0, to: 3 });
  expect(findFinishedEmoji('so :tada:', 9)).toEqual({ name: 'tada', from: 3, to: 9 });
  expect(findFinishedEmoji('a:tada:', 7)).toBeNull();
});

it('finds the name first, then parts of names, then tags and descriptions [SEND-31]', () => {
  const listEmoji = (query: string) => findEmoji(query, 8).map(({ emoji }) => emoji);
  expect(listEmoji('heart')[0]).toBe('❤️');
  expect(listEmoji('tad')[0]).toBe('🎉');
  expect(listEmoji('party')).toContain('🎉');
  expect(listEmoji('Thumbs up')).toContain('👍');
  expect(listEmoji('d')).toHaveLength(8);
  expect(listEmoji('-d')).toEqual([]);
  expect(listEmoji('qqq')).toEqual([]);
  expect(findEmojiByName('tada')).toBe('🎉');
});

it('puts every emoji into a category [SEND-32]', () => {
  expect(emojiCategories).toHaveLength(9);
  for (const category of emojiCategories) {
    expect(listEmojiOfCategory(category).length).toBeGreaterThan(50);
  }
});

it('lists the emoji that the member used last, then the first category [SEND-32]', () => {
  const [firstCategory = ''] = emojiCategories;
  const smileys = listEmojiOfCategory(firstCategory);
  const rocket = describeEmoji('🚀')!;

  expect(listRecentFirst([rocket, smileys[3]!])).toEqual([
    rocket,
    smileys[3],
    ...smileys.filter((smiley) => smiley !== smileys[3]),
  ]);
});
