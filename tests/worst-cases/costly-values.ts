// Texts and queries that cost the server the most, each as long as the contract allows.
import { searchFacets } from '#contract/class-fields.ts';
import { searchLimits } from '#contract/class-search.ts';
import { limits, pollLimits } from '#contract/limits.ts';
import { toMentionToken } from '#contract/mentions.ts';

const fill = (unit: string, length: number = limits.messageText) =>
  unit
    .repeat(Math.ceil(length / unit.length))
    .slice(0, length)
    .toWellFormed()
    .trimEnd();

let numberOfWords = 0;
/** Words that no other text has. */
function createNewWords(length: number): string {
  const words: string[] = [];
  while (words.length * 5 < length) words.push((1_000_000 + numberOfWords++).toString(36));
  return words.join(' ').slice(0, length);
}

/** @param memberIds of members who have appeared in the class */
export function createCostlyTexts(memberIds: readonly string[]): string[] {
  const mentions = memberIds.slice(0, limits.mentions).map(toMentionToken).join(' ');
  return [
    createNewWords(limits.messageText),
    fill('\u{10348}'),
    `${mentions} ${fill('長', limits.messageText - mentions.length - 1)}`,
    // Terms of a query that matches nothing.
    fill('é1 é2 é3 xé4 '),
    fill("a'b'"),
    // A script without spaces.
    fill('อักษรไทย'),
    fill('漢字かな'),
    fill('*a _b ~~c [d]('),
    fill('> - 1. '),
    fill('$\\frac{a}{$'),
    fill('<@aaaaaaaaaaaaaaaa \\<@'),
    fill('\u0301a'),
  ];
}

/**
 * The n-th message of the student: together they are the texts that a search reads without success.
 *
 * @param texts those of `createCostlyTexts`
 */
export function createPlantedText(n: number, texts: readonly string[]): string {
  if (n % 2 === 0) return createNewWords(limits.messageText);
  return texts[Math.floor(n / 2) % texts.length] ?? '';
}

export function createCostlyQueries(): string[] {
  return [
    'é1 é2 é3 é4',
    'a b c d e f g h i j k l m n o p q r s t u v w x y z',
    fill('อักษรไทย', limits.messageQuery),
    fill("a'b'", limits.messageQuery),
    fill('漢字', limits.messageQuery),
    'zzzz',
  ];
}

const classSearch = {
  indexName: 'classSearch',
  query: fill('mat cmpsci phisycs 1 ', limits.searchQuery),
  facets: [...searchFacets],
  maxValuesPerFacet: 1000,
  facetFilters: searchFacets.map(() =>
    Array.from({ length: searchLimits.filters }, (_, n) =>
      n % 2 === 0 ? `subjectAbbreviation:S${n}` : 'classSchedule:Monday',
    ),
  ),
};

export const costlySearches = [
  {
    requests: Array.from({ length: searchLimits.requests }, () => ({
      ...classSearch,
      hitsPerPage: searchLimits.hits / searchLimits.requests,
    })),
  },
  { requests: [{ ...classSearch, hitsPerPage: searchLimits.hits }] },
  { requests: [{ ...classSearch, hitsPerPage: searchLimits.hits, query: '' }] },
];

/** They are in the future, so that the class stays one in which members write. */
export const costlyTopics = Array.from({ length: limits.topics }, (_, n) => ({
  name: String(n).padEnd(limits.topicName, '長'),
}));

export const costlyQuietTimes = Array.from({ length: limits.quietTimes }, () => ({
  begins: '2100-01-01T10:00',
  ends: '2100-01-07T10:00',
  zone: 'America/Argentina/ComodRivadavia',
  weekly: true,
  sentence: fill('長', limits.quietSentence),
}));

export const costlyName = '漢'.repeat(100);

/** The options of a poll, which differ. */
export const costlyOptions = Array.from(
  { length: pollLimits.options },
  (_, n) => `${n}${fill('長', pollLimits.option - 1)}`,
);
