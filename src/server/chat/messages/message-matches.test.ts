import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenize } from '#server/base/tokenizer.ts';
import {
  findMarks,
  toIndexTerms,
  hasMissingPhrase,
  parseQuery,
  toQueryTerms,
} from './message-matches.ts';

/** The text with its marked parts in brackets; null if it does not match. */
function markMatches(text: string, query: string): string | null {
  const marks = findMarks(text, parseQuery(query));
  return (
    marks &&
    marks.reduceRight(
      (markedText, [start, end]) =>
        `${markedText.slice(0, start)}[${markedText.slice(start, end)}]${markedText.slice(end)}`,
      text,
    )
  );
}

describe('a message matches', () => {
  test.each([
    ['the exam is on Friday', 'exam', 'the [exam] is on Friday'],
    ['the exam is on Friday', 'fri ex', 'the [ex]am is on [Fri]day'],
    ['EXAM exam Examination', 'Exam', '[EXAM] [exam] [Exam]ination'],
    ['Le café d’Élodie', 'cafe elo', 'Le [café] d’[Élo]die'],
    ['Le café d’Élodie', "d'elodie", 'Le café [d’Élodie]'],
    ["C'est l'examen", 'exam', "C'est l'[exam]en"],
    ["l'examen2 approche", 'examen2', "l'[examen2] approche"],
    ["rock'n'roll", 'roll', "rock'n'[roll]"],
    ["rock'n'roll", 'rocknroll', "[rock'n'roll]"],
    ["don't ask", 'don', "[don]'t ask"],
    ['Le café est là', 'CAFE', 'Le [café] est là'],
    ['Le cafe\u0301 est là', 'café', 'Le [cafe\u0301] est là'],
    ['die Straße', 'strasse', 'die [Straße]'],
    ['die Straße', 'stra', 'die [Stra]ße'],
    ["I don't know", 'dont', "I [don't] know"],
    ['I dont know', "don't", 'I [dont] know'],
    ['CS 146 or cs146?', 'cs146', '[CS 146] or [cs146]?'],
    ['room 007', '007', 'room [007]'],
    ['明日は東京大学で試験', '東京', '明日は[東京]大学で試験'],
    ['明日は東京大学で試験', '京', '明日は東[京]大学で試験'],
    ['明日は東京大学で試験', '試験 大学', '明日は東京[大学]で[試験]'],
    ['ガイダンス', 'ガイダ', '[ガイダ]ンス'],
    ['중간고사 언제예요', '중간', '[중간]고사 언제예요'],
    ['Когда экзамен?', 'экз', 'Когда [экз]амен?'],
    ['สอบวันไหน', 'วัน', 'สอบ[วัน]ไหน'],
    ['a 😀 smile', 'smile', 'a 😀 [smile]'],
  ])('%j has %j as %j [FIND-3, FIND-4, FIND-5, FIND-13]', (text, query, expected) => {
    expect(markMatches(text, query)).toBe(expected);
  });

  test.each([
    ['the exam is on Friday', 'xam'],
    ['the exam is on Friday', 'exam monday'],
    ['京都と東の空', '東京'],
    ['東 京', '東京'],
    ['146 cs', 'cs146'],
    ["l'examen", 'men'],
    ['', 'a'],
  ])('the message %j does not match %j [FIND-3, FIND-5]', (text, query) => {
    expect(markMatches(text, query)).toBeNull();
  });

  test('a query without a letter or digit has no phrase [FIND-2]', () => {
    for (const query of ['', '   ', '?!', '😀', '\u200b']) expect(parseQuery(query)).toEqual([]);
  });
});

const pieces = [
  'a',
  'B',
  'é',
  'e\u0301',
  'ss',
  'ß',
  '7',
  '0',
  '東',
  '京',
  'か',
  'が',
  'ー',
  ' ',
  "'",
];
const texts = fc
  .array(fc.constantFrom(...pieces, '한', 'ก', 'ำ', '-', '😀', '㈱', 'ﬁ'))
  .map((all) => all.join(''));

test('every match is a candidate of the index, and marks are parts of the text [FIND-4, FIND-7]', () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(60), fc.nat(60), (text, other, from, length) => {
      const query = Math.max(from, length) % 3 ? text.slice(from % 9, (from % 9) + length) : other;
      const phrases = parseQuery(query);
      const marks = findMarks(text, phrases);
      if (!marks) return;
      expect(hasMissingPhrase(text, phrases)).toBe(false);
      const terms = [...toIndexTerms(text)];
      for (const sought of toQueryTerms(phrases)) {
        expect(terms.some((term) => term.startsWith(sought))).toBe(true);
      }
      let last = 0;
      for (const [start, end] of marks) {
        expect(start).toBeGreaterThanOrEqual(last);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(text.length);
        last = end;
      }
    }),
    { numRuns: 3000 },
  );
});

test('a word longer than an index term is found by its whole text [FIND-4]', () => {
  const text = `${'x'.repeat(100)}y`;
  expect(markMatches(text, text)).toBe(`[${text}]`);
  expect(markMatches(text, `${text}z`)).toBeNull();
  expect(toQueryTerms(parseQuery(text))).toEqual([...toIndexTerms(text)]);
});

test('a long phrase in a script without spaces takes at most some hundred readings of the text [FIND-18]', () => {
  const text = '東'.repeat(4000);
  const phrases = parseQuery(`${'東'.repeat(199)}京`);
  // The time of the processor, because other programs may need it meanwhile.
  const measure = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 5 }, () => {
        const usageBefore = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(usageBefore);
        return user + system;
      }),
    );

  const tenReadings = measure(() => {
    for (let n = 0; n < 10; n++) tokenize(text);
  });

  // Comparing the neighbors in the text again for each word of the phrase takes ten thousand readings.
  expect(measure(() => findMarks(text, phrases)) / tenReadings).toBeLessThan(50);
});
