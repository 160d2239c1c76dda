import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findMarks, findPartialMarks, hasMissingTerm, parseQuery } from './message-matches.ts';

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
    // Invisible characters, and words that a line break divides.
    ['die Haus\u00adaufgabe', 'hausaufgabe', 'die [Haus\u00adaufgabe]'],
    ['home\u200bwork', 'homework', '[home\u200bwork]'],
    ['home\u2060work', 'home\ufeffwork', '[home\u2060work]'],
    ['the home-\nwork', 'homework', 'the [home-\nwork]'],
    ['> the home- \r\n> work', 'homework', '> the [home- \r\n> work]'],
    ['the home\u00ad\nwork', 'homework', 'the [home\u00ad\nwork]'],
    ['می\u200cخواهم', 'میخواهم', '[می\u200cخواهم]'],
    // Signs that belong to a word.
    ['C or C++ or C++17 or c', 'c++', 'C or [C++] or [C++]17 or c'],
    ['C# and F#', 'C#', '[C#] and F#'],
    ['Ｃ＋＋', 'c++', '[Ｃ＋＋]'],
    ['in C♯ minor', 'c#', 'in [C♯] minor'],
    ['C++ and C', 'c', '[C]++ and [C]'],
    ['Google+', 'google', '[Google]+'],
    ['a+b', 'b', 'a+[b]'],
    // Hyphens inside words.
    ['the Wi-Fi password', 'wifi', 'the [Wi-Fi] password'],
    ['the wifi password', 'Wi-Fi', 'the [wifi] password'],
    ['the Wi‑Fi password', 'fi', 'the Wi‑[Fi] password'],
    ['object oriented', 'object-oriented', '[object oriented]'],
    ['an e-mail', 'email', 'an [e-mail]'],
    ['Omega-3', 'omega3', '[Omega-3]'],
    // Numbers.
    ['1,000 people', '1000', '[1,000] people'],
    ['1.000 Leute', '1000', '[1.000] Leute'],
    ['1\u202f000\u202f000 personnes', '1000000', '[1\u202f000\u202f000] personnes'],
    ["1'000'007", '1000007', "[1'000'007]"],
    ['1000 people', '1,000', '[1000] people'],
    ['10000 or 1000', '1,000', '[1000]0 or [1000]'],
    ['pi is 3.14', '3.14', 'pi is [3.14]'],
    ['at 09:05', '9:05', 'at [09:05]'],
    ['on 2026-03-05', '2026-3', 'on [2026-03]-05'],
    ['room 7', '007', 'room [7]'],
    ['1.00', '1.00', '[1.00]'],
    ['MATH 030', 'math30', '[MATH 030]'],
    // Particles and articles that are written together with the word.
    ['대학교에서', '학교', '대[학교]에서'],
    [
      '대학교에서'.normalize('NFD'),
      '학교',
      `${'대'.normalize('NFD')}[${'학교'.normalize('NFD')}]${'에서'.normalize('NFD')}`,
    ],
    ['الامتحان غدا', 'امتحان', 'ال[امتحان] غدا'],
    ['והמבחן', 'מבחן', 'וה[מבחן]'],
    // With and without vowel marks, in both directions.
    ['مَدْرَسَة', 'مدرسة', '[مَدْرَسَة]'],
    ['مدرسه', 'مَدْرَسَة', '[مدرسه]'],
    ['שָׁלוֹם', 'שלום', '[שָׁלוֹם]'],
    ['שלום', 'שָׁלוֹם', '[שלום]'],
    ['ភាសាខ្មែរ', 'ខ្មែរ', 'ភាសា[ខ្មែរ]'],
    ['हिन्दी में', 'हिन्दी', '[हिन्दी] में'],
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
    ['a class with c', 'C++'],
    ['C and # and C ++', 'C#'],
    ['abc++', 'c++'],
    ['1.25 or 1:20', '12'],
    ['314', '3.14'],
    ['3 14', '3.14'],
    ['a wi fi', 'wifi'],
    ['Wi - Fi', 'wifi'],
    ['home\nwork', 'homework'],
    ['대학 교실', '학교'],
    ['100,00', '10000'],
    ['', 'a'],
  ])('the message %j does not match %j [FIND-3, FIND-5]', (text, query) => {
    expect(markMatches(text, query)).toBeNull();
  });

  test('a query without a letter or digit has no term [FIND-2]', () => {
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
  .array(
    fc.constantFrom(
      ...pieces,
      '한',
      'ก',
      'ำ',
      '-',
      '+',
      '#',
      '♯',
      ',',
      '\u00ad',
      '\n',
      '😀',
      '㈱',
      'ﬁ',
    ),
  )
  .map((all) => all.join(''));

test('the quick check misses no match, and marks are parts of the text [FIND-4, FIND-7]', () => {
  fc.assert(
    fc.property(texts, texts, fc.nat(60), fc.nat(60), (text, other, from, length) => {
      const query = Math.max(from, length) % 3 ? text.slice(from % 9, (from % 9) + length) : other;
      const terms = parseQuery(query);
      const marks = findMarks(text, terms);
      if (!marks) return;
      expect(hasMissingTerm(text, terms)).toBe(false);
      expect(findPartialMarks(text, terms)).toEqual(marks);
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

test.each([
  // Comparing the neighbors in the text again for each word of the phrase takes ten thousand readings.
  { name: 'a long phrase without spaces', text: '東', query: `${'東'.repeat(199)}京` },
  // Sorting the marks of one letter takes quadratic time.
  { name: 'a letter with thousands of marks', text: '\u0315\u0300\u05b0\u0327', query: 'a' },
])('$name takes as long as some hundred readings of a text [FIND-17]', ({ text: unit, query }) => {
  const plainText = '東'.repeat(4000);
  const text = unit.repeat(4000 / unit.length);
  const terms = parseQuery(query);
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
    for (let n = 0; n < 10; n++) hasMissingTerm(plainText, parseQuery('京'));
  });

  expect(measure(() => hasMissingTerm(text, terms)) / tenReadings).toBeLessThan(4);
  expect(measure(() => findMarks(text, terms)) / tenReadings).toBeLessThan(50);
});

test.each([
  { name: 'characters that are many letters', text: '\ufdfa', query: 'ص', times: 10 },
  { name: 'accents without letters', text: '\u0301', query: 'а', times: 0.1 },
  { name: 'words that begin everywhere', text: '한', query: '한'.repeat(200), times: 10 },
])('$name count as much as their work [FIND-17]', ({ text: unit, query, times }) => {
  const countWork = (text: string, typedQuery: string) => {
    const work = { cost: 0 };
    const terms = parseQuery(typedQuery);
    if (!hasMissingTerm(text, terms, work)) findMarks(text, terms, work);
    return work.cost;
  };

  const cost = countWork(unit.repeat(4000), query);

  expect(cost).toBeGreaterThan(times * countWork('а'.repeat(4000), 'а'));
});
