import { expect, test } from 'vitest';
import { splitWord } from './split-words.ts';

const knownWords = ['data', 'structures', 'introduction', 'calculus', 'art', 'history', 'organic'];
const words = {
  has: (word: string) => knownWords.includes(word),
  isStopWord: (word: string) => ['in', 'of', 'to'].includes(word),
  hasPrefix: (prefix: string) => knownWords.some((word) => word.startsWith(prefix)),
};

test.each([
  ['datastructures', ['data', 'structures']],
  ['datastruct', ['data', 'struct']],
  ['introtocalc', ['intro', 'to', 'calc']],
  ['historyofart', ['history', 'of', 'art']],
  // A stop word is no first or last part, and a part of two letters is no word.
  ['inorganic', null],
  ['datato', null],
  ['daar', null],
  ['zzzzzzzz', null],
  ['data'.repeat(5), null],
  ['art'.repeat(20), null],
])('%s is split into %j [SEARCH-100]', (word, parts) => {
  expect(splitWord(word, words)).toEqual(parts);
});
