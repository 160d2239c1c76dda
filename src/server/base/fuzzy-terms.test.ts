import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFuzzyTerms } from './fuzzy-terms.ts';

/** The full edit distance table, as the reference implementation. */
function computeDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitutionCost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(
        rows[i - 1]![j]! + 1,
        row[j - 1]! + 1,
        rows[i - 1]![j - 1]! + substitutionCost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, rows[i - 2]![j - 2]! + 1);
      }
      row.push(value);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

const randomWord = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });

test('every word with one mistake is found, with two where its first letter is among the first two typed [SEARCH-33]', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(randomWord, { maxLength: 60 }),
      randomWord,
      fc.constantFrom(1, 2),
      (words, query, maxTypos) => {
        const terms = words.toSorted().map((word) => ({ text: word, postings: [] }));
        const matches = findFuzzyTerms(terms, query, maxTypos, false);
        const expectedMatches = words
          .filter((word) => maxTypos < 2 || word[0] === query[0] || word[0] === query[1])
          .map((word): [string, number] => [word, computeDistance(word, query)])
          .filter(([, typos]) => typos > 0 && typos <= maxTypos);
        expect(new Map(matches.map(({ term, typos }) => [term.text, typos]))).toEqual(
          new Map(expectedMatches),
        );
        expect(matches).toHaveLength(expectedMatches.length);
      },
    ),
  );
});

test('what only begins so is found too where beginnings are wanted, and not by its end alone [SEARCH-30, SEARCH-33]', () => {
  const terms = ['desert', 'design', 'designer', 'destiny'].map((text) => ({
    text,
    postings: [],
  }));
  const findMatches = (word: string, prefix: boolean) =>
    findFuzzyTerms(terms, word, 1, prefix).map(({ term, isWhole }) => [term.text, isWhole]);
  expect(findMatches('desgin', false)).toEqual([['design', true]]);
  expect(findMatches('desgin', true)).toEqual([
    ['design', true],
    ['designer', false],
    // 'destin' has one wrong letter.
    ['destiny', false],
  ]);
  // 'desti' has one extra letter. 'des' has one letter less, but it is the prefix of too many words.
  expect(findMatches('desi', true)).toEqual([['destiny', false]]);
});
