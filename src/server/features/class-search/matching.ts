// How the words of a query match: prefixes, typos, optional words, phrases and excluded words.
import { invalid, type Parameters } from './parameters.ts';
import { termsOf } from '#server/base/tokenizer.ts';

const queryTypes = ['prefixLast', 'prefixAll', 'prefixNone'] as const;

export interface Matching {
  /** Null is this server's own rule: each word may be a prefix, but a complete course number is not. */
  queryType: (typeof queryTypes)[number] | null;
  /** The minimum word lengths for one and two typos. Infinity allows none. */
  lengthForTypos: readonly [one: number, two: number];
  /** Words that a class can miss. */
  optionalWords: ReadonlySet<string>;
  /** Which words become optional if nothing is found. */
  removal: 'none' | 'lastWords' | 'firstWords' | 'allOptional';
  /** Whether the query can have phrases in quotes, and words after a minus. */
  phrases: boolean;
  exclusions: boolean;
  /** Whether a query that matches no class may be rewritten. */
  rewrites: boolean;
}

/** A client that sends one of these wants exactly this matching, so its query is not rewritten. */
const matchingNames = [
  ...['queryType', 'typoTolerance', 'minWordSizefor1Typo', 'minWordSizefor2Typos'],
  ...['advancedSyntax', 'advancedSyntaxFeatures', 'optionalWords', 'removeWordsIfNoResults'],
];

/** Shorter words have too many neighbours. These are also Algolia's defaults. */
const lengthForTypos = [4, 8] as const;
const maxWordLength = 512;

export const defaultMatching: Matching = {
  queryType: null,
  lengthForTypos,
  optionalWords: new Set(),
  removal: 'none',
  phrases: false,
  exclusions: false,
  rewrites: true,
};

/** @throws {QueryError} */
export function readMatching(parameters: Parameters): Matching {
  const advanced = parameters.flag('advancedSyntax', false);
  const features = parameters.list('advancedSyntaxFeatures', ['exactPhrase', 'excludeWords']);
  if (!features.every((one) => one === 'exactPhrase' || one === 'excludeWords')) {
    throw invalid('advancedSyntaxFeatures', 'expected a list of exactPhrase, excludeWords');
  }
  return {
    queryType: readQueryType(parameters),
    lengthForTypos: readLengths(parameters),
    optionalWords: readOptionalWords(parameters),
    removal: parameters.choice(
      'removeWordsIfNoResults',
      ['none', 'lastWords', 'firstWords', 'allOptional'],
      'none',
    ),
    phrases: advanced && features.includes('exactPhrase'),
    exclusions: advanced && features.includes('excludeWords'),
    rewrites: matchingNames.every((name) => parameters.raw(name) === undefined),
  };
}

function readQueryType(parameters: Parameters): Matching['queryType'] {
  if (parameters.raw('queryType') === undefined) return null;
  return parameters.choice('queryType', queryTypes, 'prefixAll');
}

/** This server returns the matches with the fewest typos, which Algolia calls `min`. */
function readLengths(parameters: Parameters): Matching['lengthForTypos'] {
  const [one, two] = lengthForTypos;
  const lengths = [
    parameters.integer('minWordSizefor1Typo', one, one, maxWordLength),
    parameters.integer('minWordSizefor2Typos', two, two, maxWordLength),
  ] as const;
  const tolerance = parameters.choice('typoTolerance', ['true', 'false', 'min'], 'true');
  return tolerance === 'false' ? [Infinity, Infinity] : lengths;
}

/** Each item can have several words. In Algolia, commas do not separate the words of a text. */
function readOptionalWords(parameters: Parameters): ReadonlySet<string> {
  const sent = parameters.raw('optionalWords');
  if (sent === null) return new Set();
  const isText = typeof sent === 'string' && !sent.startsWith('[');
  const items = isText ? [sent] : parameters.list('optionalWords', []);
  return new Set(items.flatMap((item) => termsOf(item)));
}
