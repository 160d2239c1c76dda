// Loaded on first use, because the names of all emoji are larger than the rest of the composer.
import { type Gemoji, gemoji } from 'gemoji';

export type NamedEmoji = Gemoji;

export const emojiCategories: readonly string[] = [
  ...new Set(gemoji.map(({ category }) => category)),
];

export function listEmojiOfCategory(category: string): readonly NamedEmoji[] {
  return gemoji.filter((namedEmoji) => namedEmoji.category === category);
}

/** The emoji that the member used last, then the first category, because a new member has used few. */
export function listRecentFirst(recentEmoji: readonly NamedEmoji[]): readonly NamedEmoji[] {
  const [firstCategory = ''] = emojiCategories;
  return [...new Set([...recentEmoji, ...listEmojiOfCategory(firstCategory)])];
}

const byEmoji = new Map(gemoji.map((namedEmoji) => [namedEmoji.emoji, namedEmoji]));

export function describeEmoji(emoji: string): NamedEmoji | undefined {
  return byEmoji.get(emoji);
}

/** The emoji of a complete name, such as `tada`. */
export function findEmojiByName(name: string): string | undefined {
  return gemoji.find(({ names }) => names.includes(name.toLowerCase()))?.emoji;
}

/** The best matches first: names, then parts of names, then descriptions and tags. */
export function findEmoji(query: string, max: number): readonly NamedEmoji[] {
  const normalizedQuery = query
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+(?=\w)/g, '_');
  if (normalizedQuery === '') return [];
  const ranked = gemoji
    .map((namedEmoji) => ({ namedEmoji, rank: toRank(namedEmoji, normalizedQuery) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank);
  return ranked.slice(0, max).map(({ namedEmoji }) => namedEmoji);
}

function toRank({ names, tags, description }: NamedEmoji, query: string): number {
  if (names.includes(query)) return 0;
  if (names.some((name) => name.startsWith(query))) return 1;
  if (names.some((name) => name.includes(`_${query}`))) return 2;
  if (tags.some((tag) => tag.replaceAll(' ', '_').startsWith(query))) return 3;
  const words = `_${description.toLowerCase().replaceAll(/[\s:,-]+/g, '_')}`;
  return words.includes(`_${query}`) ? 4 : Infinity;
}
