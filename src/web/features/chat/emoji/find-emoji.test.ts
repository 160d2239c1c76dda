import { afterEach, expect, it, vi } from 'vitest';
import { findFinishedEmoji, findUnfinishedEmoji } from './emoji-query.ts';
import {
  describeEmoji,
  emojiCategories,
  findEmojiByName,
  listEmojiOfCategory,
  listRecentFirst,
  findEmoji,
} from './find-emoji.ts';

afterEach(() => {
  globalThis.catalogue = undefined;
});

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
  expect(findEmojiQuery(':größe')).toMatchObject({ name: 'größe' });
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

it('finds emoji by their names in the language of the page and in English [SEND-31]', async () => {
  const names = JSON.stringify([['grinsendes Gesicht', 'lustig'], [], ['Corazón']]);
  globalThis.catalogue = {
    texts: [],
    errors: {},
    emoji: `data:text/javascript,export default ${names}`,
  };
  vi.resetModules();
  const german = await import('./find-emoji.ts');

  expect(german.findEmoji('gesicht', 1)[0]).toMatchObject({
    emoji: '😀',
    description: 'grinsendes Gesicht',
  });
  expect(german.findEmoji('lust', 1)[0]?.emoji).toBe('😀');
  expect(german.findEmojiByName('grinning')).toBe('😀');
  expect(german.findEmojiByName('corazon')).toBe(german.findEmojiByName('corazón'));
  expect(german.findEmoji('smiley', 1)[0]?.description).toBe('grinning face with big eyes');
});

it('has English names if those of the language do not load [SEND-31]', async () => {
  globalThis.catalogue = { texts: [], errors: {}, emoji: 'data:text/javascript,throw null' };
  vi.resetModules();
  const german = await import('./find-emoji.ts');

  expect(german.findEmojiByName('tada')).toBe('🎉');
});
