import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '#tests/support/university/arbitraries.ts';
import { toPersonaFigure, toPersonaIcon } from './persona-figure.ts';
import { findFreeIcon, isMemberIcon, findPersonaNameError, tidyPersonaName } from './persona.ts';
import { isPlainLine } from './text.ts';

describe('a persona’s name', () => {
  test.each([
    ['  Blue \t  Fox ', 'Blue Fox'],
    ['Ｂｌｕｅ', 'Blue'],
    ['e\u0301', '\u00e9'],
    ['a\u00a0b', 'a b'],
    ['', ''],
  ])('a persona’s name stores %j as %j [PERSONA-12]', (typedName, storedName) => {
    expect(tidyPersonaName(typedName)).toBe(storedName);
  });

  test.each([
    'Anonymous',
    'Blue Fox',
    'O’Neill',
    "d'Arc",
    'José',
    'Ада',
    'שלום',
    'محمد',
    '小熊',
    'ก้อน',
    'Q. E. D.!',
    'no-one_7',
    'x'.repeat(30),
  ])('a persona’s name may be %j [PERSONA-28, PERSONA-12]', (name) => {
    expect(findPersonaNameError(tidyPersonaName(name))).toBeNull();
  });

  test.each([
    ['Sinhala', 'ශ්\u200dරී ලංකා'],
    ['Persian', 'می\u200cروم'],
    ['Persian with a vowel sign', 'نیم\u0650\u200cفاصله'],
    ['Hindi', 'क्\u200dष'],
    ['Nepali', 'गर्\u200cयो'],
    ['Telugu', 'అమర్\u200cనాథ్'],
    ['Malayalam, at the end of a word', 'അവന്\u200d'],
    ['Bengali, before a virama', 'র\u200d্যাচেল'],
    ['Kannada, before a virama', 'ರ\u200d್ಯಾಂಕ್'],
  ])(
    'a persona’s name in %s may have the joiners of its spelling, and keeps them [PERSONA-28]',
    (_, name) => {
      expect(findPersonaNameError(name)).toBeNull();
      expect(tidyPersonaName(name)).toContain(/\u200c|\u200d/.exec(name)![0]);
    },
  );

  test.each([
    ['between Latin letters', 'a\u200cb'],
    ['between Hebrew letters, which do not join', 'ש\u200cל'],
    ['between Chinese characters', '小\u200d熊'],
    ['at the start of an Arabic word', '\u200cلیلا'],
    ['at the end of an Arabic word', 'لیلا\u200c'],
    ['between an Arabic and a Latin letter', 'ل\u200ca'],
    ['between Arabic digits', '٣\u200c٤'],
    ['that joins Arabic letters, which join anyway', 'ل\u200dی'],
    ['twice between Arabic letters', 'ل\u200c\u200cی'],
    ['twice after a virama', 'क्\u200d\u200dष'],
    ['after a Devanagari consonant without virama', 'क\u200dष'],
    ['between viramas that pile up', 'क्\u200d्\u200d्\u200d्\u200d्'],
  ])('a persona’s name may not have a joiner %s [PERSONA-28]', (_, name) => {
    expect(findPersonaNameError(tidyPersonaName(name))).toBe('NAME_CHARACTERS');
  });

  test.each([
    ['a bidi override', 'a\u202eb'],
    ['a bidi isolate', 'a\u2066b'],
    ['a direction mark', 'a\u200fb'],
    ['a zero-width space', 'a\u200bb'],
    ['a zero-width joiner', 'a\u200db'],
    ['a byte order mark', 'a\ufeffb'],
    ['a soft hyphen', 'a\u00adb'],
    ['a Hangul filler', 'a\u3164b'],
    ['a variation selector', 'a\ufe0fb'],
    ['a tag character', 'a\u{e0061}b'],
    ['a blank of Braille', 'a\u2800b'],
    ['a control character', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud800b'],
    ['a private letter', 'a\ue000b'],
    ['a letter that is none yet', 'a\u{1ffff}b'],
    ['an emoji', '🦊'],
    ['an address', 'ada@university.edu'],
    ['markup', '<b>x</b>'],
    ['the mark of one’s own messages', 'Fox (you)'],
    ['no letter at all', '...'],
    ['marks that pile up', `a${'\u0335'.repeat(4)}b`],
    ['a ring around it', 'a\u20ddb'],
  ])('a persona’s name may not have %s [PERSONA-28]', (_, name) => {
    expect(findPersonaNameError(tidyPersonaName(name))).toBe('NAME_CHARACTERS');
  });

  test.each(['', ' ', '\u3000', '\u200b', '\u2060\u200d'])('may not be %j [PERSONA-12]', (name) => {
    expect(findPersonaNameError(tidyPersonaName(name))).toBe('NAME_EMPTY');
  });

  test('a persona’s name is stored as it is shown: what is stored does not change again [PERSONA-12]', () => {
    fc.assert(
      fc.property(anyText, (typedName) => {
        const storedName = tidyPersonaName(typedName);
        expect(tidyPersonaName(storedName)).toBe(storedName);
        if (findPersonaNameError(storedName) === null) expect(isPlainLine(storedName)).toBe(true);
      }),
    );
  });

  test('a persona’s name has at most 30 characters in its stored form [PERSONA-12]', () => {
    expect(findPersonaNameError('x'.repeat(31))).toBe('NAME_TOO_LONG');
    // One character that NFKC expands to 18.
    expect(findPersonaNameError(tidyPersonaName('\ufdfa'.repeat(2)))).toBe('NAME_TOO_LONG');
  });
});

describe('a persona’s icon', () => {
  const me = 'abcdefghijklmnop';

  test('a persona’s icon is one of the icons of the member [PERSONA-16]', () => {
    for (const n of [0, 1, 9, 10, 199]) expect(isMemberIcon(me, toPersonaIcon(me, n))).toBe(true);
  });

  test.each([
    'another one’s'.slice(0, 16),
    'bbcdefghijklmnop.1',
    `${me}.0`,
    `${me}.01`,
    `${me}.200`,
    `${me}.-1`,
    `${me}.1.5`,
    `${me}.NaN`,
    `${me}.`,
    `${me}x1`,
    `${me}.1 `,
    '',
  ])('a persona’s icon is never %j [PERSONA-16]', (icon) => {
    expect(isMemberIcon(me, icon)).toBe(false);
  });

  test('250 members who appear one after the other have 250 looks [PERSONA-30]', () => {
    const icons: string[] = [];
    for (let n = 0; n < 250; n++) {
      const icon = findFreeIcon(`member ${n}`.padEnd(16), icons);
      if (icon) icons.push(icon);
    }

    expect(new Set(icons.map(toPersonaFigure)).size).toBe(250);
  });

  test('the first icon of a member stays if its look is free, and none is free if all are taken [PERSONA-30]', () => {
    const allIcons = Array.from({ length: 5000 }, (_, n) => `icon ${n}`);

    expect(findFreeIcon(me, [])).toBe(me);
    expect(findFreeIcon(me, [me])).not.toBe(me);
    expect(new Set(allIcons.map(toPersonaFigure)).size).toBe(288);
    expect(findFreeIcon(me, allIcons)).toBeUndefined();
  });
});
