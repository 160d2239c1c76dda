import { expect, it } from 'vitest';
import { limits } from '#contract/limits.ts';
import { toMentionToken } from '#contract/mentions.ts';
import { type MathElement, renderFormula } from './formula.ts';
import type { Block, Inline } from './markup.ts';
import { parseMessage } from './parse-message.ts';

/** The bound that each of these texts would exceed without a budget. */
const maxElements = 1800;

type Part = Block | Inline;

function listInnerParts(part: Part): readonly Part[] {
  if ('content' in part) return part.content;
  if (part.kind === 'quote') return part.blocks;
  if (part.kind === 'list') return part.items.flatMap(({ blocks }) => blocks);
  return part.kind === 'table' ? part.rows.flat(2) : [];
}

function listAllParts(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => [part, ...listAllParts(listInnerParts(part))]);
}

const countMath = ({ children }: MathElement): number =>
  children.reduce((sum, child) => sum + (typeof child === 'string' ? 0 : countMath(child)), 1);

function countElements(part: Part): number {
  if (part.kind !== 'formula' || part.isPlain) return 1;
  const formula = renderFormula(part.formula.text, part.display);
  return 'message' in formula ? 1 : countMath(formula);
}

const fill = (unit: string, length = limits.messageText - 20) =>
  unit.repeat(Math.floor(length / unit.length));
const mention = toMentionToken('a'.repeat(16));

it.each([
  ['two long formulas', `$${fill('x^2+', 1950)}$ $${fill('y^2+', 1950)}$`],
  ['short formulas', '$x^2+y^2+z^2$ '.repeat(190)],
  ['formulas of commands with many elements', '$\\LaTeX\\LaTeX$ '.repeat(190)],
  ['formulas in the cells of a table', `|a|b|\n|-|-|\n${'|$x^2+y^2+z^2$|b|\n'.repeat(160)}`],
  ['formulas in quotes', '> $x^2+y^2+z^2$\n\n'.repeat(170)],
])('a message of %s makes a bounded number of elements [MARKUP-23]', (_, text) => {
  expect(text.length).toBeLessThanOrEqual(limits.messageText);
  const parts = listAllParts(parseMessage(text).blocks);
  expect(parts.some(({ kind }) => kind === 'formula')).toBe(true);
  const elements = parts.reduce((sum, part) => sum + countElements(part), 0);
  expect(elements).toBeLessThan(maxElements);
});

it('the icons of mentions and the colors of code have the same budget [MARKUP-23]', () => {
  const mentions = listAllParts(parseMessage(mention.repeat(190)).blocks);
  expect(mentions.filter(({ kind }) => kind === 'mention')).toHaveLength(190);
  expect(mentions.filter((part) => 'isPlain' in part)).toHaveLength(140);

  const block = `\`\`\`c\n${'if (1) "a";\n'.repeat(150)}\`\`\`\n`;
  const blocks = parseMessage(block.repeat(2)).blocks;
  expect(blocks.map((part) => 'isPlain' in part)).toEqual([false, false]);
  const full = parseMessage(`${mention.repeat(40)}\n${block}`).blocks;
  expect(full.map((part) => 'isPlain' in part)).toEqual([false, true]);
});

it('a message shows the parts that fit its budget in their order, and the others plainly [MARKUP-23]', () => {
  const longFormula = 'x+'.repeat(200);
  const { blocks, cost } = parseMessage(`$${longFormula}$ then $${longFormula}$ and $x^2$`);
  const formulas = listAllParts(blocks).filter((part) => part.kind === 'formula');
  expect(formulas.map(({ isPlain = false }) => isPlain)).toEqual([false, true, false]);
  expect(cost).toBe(2 * 10 + 2 * 403);
});

it('the notes of an ordinary lecture are within the budget [MARKUP-23]', () => {
  const notes = [
    'By induction, $\\sum_{i=1}^n i = \\frac{n(n+1)}{2}$ holds for $n=1$.\n',
    '$$\\begin{pmatrix} \\frac{a}{b} & \\sqrt{x_1} \\\\ 0 & \\sum_{i=0}^n i \\end{pmatrix}$$\n',
    `\`\`\`python\n${'    return area(radius) ** 2\n'.repeat(40)}\`\`\`\n`,
    mention.repeat(3),
  ];
  const parts = listAllParts(parseMessage(notes.join('\n')).blocks);
  expect(parts.filter((part) => 'isPlain' in part)).toEqual([]);
});

it('a message without formulas and colored code has no cost [MARKUP-24]', () => {
  expect(parseMessage('**a** `b` [c](https://d.example)\n```\nplain code\n```').cost).toBe(0);
});
