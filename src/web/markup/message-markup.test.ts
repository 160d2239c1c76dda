import { beforeAll, expect, it, vi } from 'vitest';
import { toMentionToken } from '#contract/mentions.ts';
import { markupParser } from './markup-parser.ts';
import { findMarkup, hasMarkup, toPlainText, renderPlainTextWithRanges } from './message-markup.ts';

beforeAll(() => markupParser.load());

it('sees marks, but no plain text [SEND-30]', () => {
  const marked = [
    '**a**',
    '_a_',
    '~~a~~',
    '`a`',
    '```\na',
    '- a',
    '1. a',
    '> a',
    '[a](https://b.edu)',
    '$x$',
    '\\(x\\)',
    'A = \\begin{matrix}1\\end{matrix}',
  ];
  for (const text of marked) expect(hasMarkup(`so\n${text}`)).toBe(true);
  for (const text of [
    '',
    'a * b',
    'snake_case',
    'a-b',
    'it’s 5 > 3',
    'a ~ b',
    '1.5 and 2.',
    '2*3*4',
    '- 3 °C',
    '${A}/${B}',
  ]) {
    expect(hasMarkup(text)).toBe(false);
  }
});

const ann = 'a'.repeat(16);
const names = new Map([[ann, { memberId: ann, anonymousName: 'Ann', icon: ann }]]);

it('shows the names of mentioned members, in code too [MENTION-10, MENTION-2]', () => {
  const text = `**so** ${toMentionToken(ann)}, \\${toMentionToken(ann)} \`${toMentionToken(ann)}\``;
  expect(toPlainText(text, names)).toBe(`so @Ann, ${toMentionToken(ann)} @Ann`);
  expect(hasMarkup(`${toMentionToken(ann)} hi`)).toBe(false);
});

it('a formula is a part of the readable text, unless the budget of the message does not allow it [LECT-91, MARKUP-23]', () => {
  const longFormula = 'x+'.repeat(200);
  const markup = findMarkup(`*Is* $x^2$ or $${longFormula}$ or $${longFormula}$?`);
  const formulas = markup?.pieces.filter((piece) => piece.kind === 'text' && piece.typedFormula);
  expect(formulas).toMatchObject([{ text: 'x^2' }, { text: longFormula }]);
});

it('finds parts of a message in its readable text', () => {
  const text = `${toMentionToken(ann)} **know** this`;
  const start = text.indexOf('know');
  const { text: plainText, ranges } = renderPlainTextWithRanges(text, [[start, start + 4]], names);
  expect(ranges.map(([from, to]) => plainText.slice(from, to))).toEqual(['know']);
});

it('what a spoiler hides is in no summary and no search result, with and without the parser [MARKUP-31]', () => {
  const text = `It is **||fortytwo ${toMentionToken(ann)}||**, so`;
  const start = text.indexOf('fortytwo');
  const summary = 'It is [Hidden, press to show], so';
  expect(toPlainText(text, names)).toBe(summary);
  expect(renderPlainTextWithRanges(text, [[start, start + 8]], names)).toEqual({
    text: summary,
    ranges: [],
  });

  const parser = vi.spyOn(markupParser, 'getSnapshot').mockReturnValue(null);
  const typedSummary = toPlainText(text, names);
  parser.mockRestore();

  expect(typedSummary).toBe('It is **[Hidden, press to show]**, so');
});
