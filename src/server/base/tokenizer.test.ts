import { describe, expect, test } from 'vitest';
import { findPrefixEnd, tokenize } from './tokenizer.ts';

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
    ['Data\u00ad Struc\u200btures', ['data', 'structures']],
    [' — … 🎓', []],
  ])('%s [SEARCH-31, SEARCH-34]', (text, words) => {
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
