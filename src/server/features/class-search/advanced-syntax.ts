// Algolia's advanced query syntax: "words in quotes" are a phrase, and -word excludes.
import type { Matching } from './matching.ts';
import { QueryError } from '#server/http/query-error.ts';
import { termsOf } from '#server/base/tokenizer.ts';

export interface AdvancedQuery {
  /** The words to search, without those that are excluded. */
  text: string;
  /** The words of each phrase. They must be next to each other in one field. */
  phrases: readonly (readonly string[])[];
  /** A class with one of these phrases does not match. */
  excluded: readonly (readonly string[])[];
}

/** Bounds the cost of a query. */
const maxWords = 16;

/** @throws {QueryError} */
export function parseAdvancedQuery(query: string, matching: Matching): AdvancedQuery {
  const phrases: (readonly string[])[] = [];
  const excluded: (readonly string[])[] = [];
  // A minus counts only before a word, and not within quotes.
  const pattern = /(?<=^|\s)(-)?"([^"]*)"|(?<=^|\s)-(?=[^\s-])(\S+)/g;
  const text = query.replaceAll(
    pattern,
    (all, minus: string | undefined, quoted: string | undefined, word: string | undefined) => {
      const words = termsOf(quoted ?? word ?? '');
      if (words.length === 0) return ' ';
      if (matching.exclusions && (minus || word)) {
        excluded.push(words);
        return ' ';
      }
      if (matching.phrases && quoted !== undefined) phrases.push(words);
      return all;
    },
  );
  if ([...phrases, ...excluded].flat().length > maxWords) {
    throw new QueryError(
      `Invalid value for "query" parameter, expected at most ${maxWords} words in quotes and after a minus`,
    );
  }
  return { text, phrases, excluded };
}
