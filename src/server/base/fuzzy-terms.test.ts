import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findFuzzyTerms } from './fuzzy-terms.ts';

/** The full edit distance table, as the reference implementation. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, i) => i)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        value = Math.min(value, rows[i - 2]![j - 2]! + 1);
      }
      row.push(value);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 7 });

test('every word with one mistake is found, with two where its first letter is among the first two typed [SEARCH-33]', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(word, { maxLength: 60 }),
      word,
      fc.constantFrom(1, 2),
      (words, typed, most) => {
        const terms = words.toSorted().map((one) => ({ text: one, postings: [] }));
        const found = findFuzzyTerms(terms, typed, most, false);
        const wanted = words
          .filter((one) => most < 2 || one[0] === typed[0] || one[0] === typed[1])
          .map((one): [string, number] => [one, distance(one, typed)])
          .filter(([, typos]) => typos > 0 && typos <= most);
        expect(new Map(found.map(({ term, typos }) => [term.text, typos]))).toEqual(
          new Map(wanted),
        );
        expect(found).toHaveLength(wanted.length);
      },
    ),
  );
});

test('what only begins so is found too where beginnings are wanted, and not by its end alone [SEARCH-30, SEARCH-33]', () => {
  const terms = ['desert', 'design', 'designer', 'destiny'].map((one) => ({
    text: one,
    postings: [],
  }));
  const near = (typed: string, prefix: boolean) =>
    findFuzzyTerms(terms, typed, 1, prefix).map(({ term, whole }) => [term.text, whole]);
  expect(near('desgin', false)).toEqual([['design', true]]);
  expect(near('desgin', true)).toEqual([
    ['design', true],
    ['designer', false],
    // 'destin' has one wrong letter.
    ['destiny', false],
  ]);
  // 'desti' has one extra letter. 'des' has one letter less, but it is the prefix of too many words.
  expect(near('desi', true)).toEqual([['destiny', false]]);
});
