// Loaded on first use, because the names of all emoji are larger than the rest of the composer.
import { type Gemoji, gemoji as englishEmoji } from 'gemoji';
import { getTexts } from '#web/get-text.ts';

export interface NamedEmoji extends Gemoji {
  /** `:tada:`, or the name in another language. */
  shownName: string;
}

/** By the first words of the English names. */
const categoryNames: Readonly<Record<string, string>> = getTexts('chat.emoji.category');

/** The name of each emoji and words to find it by, in the reader's language (scripts/web-build/emoji-names.ts). */
const translations = await loadTranslations();

const gemoji = englishEmoji.map((english, n): NamedEmoji => {
  const [description = english.description, ...words] = translations[n] ?? [];
  const [categoryWord = ''] = english.category.toLowerCase().split(' ');
  const category = categoryNames[categoryWord] ?? english.category;
  const names = [...english.names, toName(description)];
  const tags = [...words, ...english.tags].map(toName);
  const shownName = translations[n] ? description : `:${english.names[0]}:`;
  return { ...english, category, description, names, tags, shownName };
});

type Translations = readonly (readonly string[])[];

async function loadTranslations(): Promise<Translations> {
  const path = globalThis.catalogue?.emoji;
  if (!path) return [];
  try {
    const module = (await import(/* @vite-ignore */ path)) as { default: Translations };
    return module.default;
  } catch {
    // There is no network. The English names do without.
    return [];
  }
}

/** `Rotes Herz` → `rotes_herz`, `corazón` → `corazon` */
function toName(text: string): string {
  const letters = text.normalize('NFD').replaceAll(/\p{M}/gu, '');
  return letters.toLowerCase().replaceAll(/[\s:,-]+/g, '_');
}

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
  return gemoji.find(({ names }) => names.includes(toName(name)))?.emoji;
}

/** The best matches first: names, then parts of names, then tags. */
export function findEmoji(query: string, max: number): readonly NamedEmoji[] {
  const name = toName(query.trim());
  if (name === '') return [];
  const ranked = gemoji
    .map((namedEmoji) => ({ namedEmoji, rank: toRank(namedEmoji, name) }))
    .filter(({ rank }) => rank < Infinity)
    .toSorted((a, b) => a.rank - b.rank);
  return ranked.slice(0, max).map(({ namedEmoji }) => namedEmoji);
}

function toRank({ names, tags }: NamedEmoji, query: string): number {
  if (names.includes(query)) return 0;
  if (names.some((name) => name.startsWith(query))) return 1;
  if (names.some((name) => name.includes(`_${query}`))) return 2;
  return tags.some((tag) => tag.startsWith(query)) ? 3 : Infinity;
}
