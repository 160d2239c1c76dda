import { describe, expect, test } from 'vitest';
import { toEndings, foldText, findPrefixEnd, tokenize } from './tokenizer.ts';

const listTexts = (text: string) => tokenize(text).map((word) => word.text);

describe('a text is looked up', () => {
  test.each([
    ['CS146-02', ['cs', '146', '2']],
    ['000 007', ['0', '7']],
    ["Women’s Health & Women's Rights", ['womens', 'health', 'womens', 'rights']],
    ['Object-Oriented (Design)', ['object', 'oriented', 'design']],
    ['Straße, Łódź, smørrebrød, Æsop, ﬁn', ['strasse', 'lodz', 'smorrebrod', 'aesop', 'fin']],
    ['İstanbul ıssız', ['istanbul', 'issiz']],
    ['ΦΙΛΟΣΟΦΟΣ φιλόσοφος', ['φιλοσοφοσ', 'φιλοσοφοσ']],
    ['Ёлка й', ['елка', 'и']],
    ['مَدْرَسَة ١٤٦', ['مدرسه', '146']],
    ['שָׁלוֹם', ['שלום']],
    ['हिन्दी', ['हिन्दी']],
    ['微积分 II', ['微', '积', '分', 'ii']],
    ['ＣＳ１４６ Ⅲ', ['cs', '146', 'iii']],
    ['e\u0301cole école', ['ecole', 'ecole']],
    ['\ud800 x \udc00', ['x']],
    [' — … 🎓', []],
  ])('%s [SEARCH-19, SEARCH-34]', (text, words) => {
    expect(listTexts(text)).toEqual(words);
  });

  test('a text is looked up with where each word stands, and whether it follows on the last one [SEARCH-114]', () => {
    expect(tokenize(' é-cs1')).toEqual([
      { text: 'e', start: 1, end: 2, joined: false },
      { text: 'cs', start: 3, end: 5, joined: false },
      { text: '1', start: 5, end: 6, joined: true },
    ]);
    const [word] = tokenize('Straßen');
    // The last two letters of 'strass' are one letter in 'Straßen'.
    expect(findPrefixEnd('Straßen', word!, 6)).toBe(5);
    expect(findPrefixEnd('Straßen', word!, 2)).toBe(2);
  });
});

describe('the endings of a word', () => {
  const listEndings = (text: string) =>
    tokenize(text).flatMap((token) =>
      toEndings(text, token).map(({ text: ending, start, end }) => [ending, start, end]),
    );

  test.each([
    ["d'Élodie", [['elodie', 2, 8]]],
    [
      "rock'n'roll",
      [
        ['nroll', 5, 11],
        ['roll', 7, 11],
      ],
    ],
    ["a''b'", [['b', 3, 4]]],
    [
      "1'000'007",
      [
        ['7', 2, 9],
        ['7', 6, 9],
      ],
    ],
    [
      "0'0'0",
      [
        ['0', 2, 5],
        ['0', 4, 5],
      ],
    ],
    ["qu'e\u0301te\u0301", [['ete', 3, 7]]],
    ['none', []],
  ] as const)(
    'the endings of a word of %j are what follows each apostrophe, without leading zeros [FIND-13]',
    (text, expected) => {
      expect(listEndings(text)).toEqual(expected);
    },
  );

  test('the endings of a word take as long as some readings of the word, also if it has an apostrophe after each letter [FIND-18]', () => {
    const text = "a'".repeat(2000);
    const [word] = tokenize(text);
    const measureBest = (work: () => unknown) =>
      Math.min(
        ...Array.from({ length: 5 }, () => {
          const startedAt = performance.now();
          work();
          return performance.now() - startedAt;
        }),
      );
    const reading = measureBest(() => tokenize(text));

    // Reading the rest of the word again after each apostrophe takes a thousand readings.
    expect(measureBest(() => toEndings(text, word!)) / reading).toBeLessThan(50);
  });
});

test('the folded text contains every word of the text [FIND-17]', () => {
  const text = "Straße d'Élodie 007 東京 ㌀ ﷺ e\u0301 İ 1'000 ـعـ";
  const folded = foldText(text);
  for (const { text: word } of tokenize(text)) expect(folded).toContain(word);
});
