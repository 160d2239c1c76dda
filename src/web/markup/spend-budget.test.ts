import { expect, it } from 'vitest';
import { limits } from '#contract/limits.ts';
import { mentionOf } from '#contract/mentions.ts';
import { highlight, type Token } from './highlight.ts';
import { type MathElement, renderFormula } from './formula.ts';
import type { Block, Inline } from './markup.ts';
import { parseMessage } from './parse-message.ts';

const maxElements = 6000;

type Part = Block | Inline;

function innerParts(part: Part): readonly Part[] {
  if ('content' in part) return part.content;
  if (part.kind === 'quote') return part.blocks;
  if (part.kind === 'list') return part.items.flat();
  return part.kind === 'table' ? part.rows.flat(2) : [];
}

function allParts(parts: readonly Part[]): Part[] {
  return parts.flatMap((part) => [part, ...allParts(innerParts(part))]);
}

const countTokens = ({ children }: Token): number =>
  children.reduce((sum, child) => sum + (typeof child === 'string' ? 0 : countTokens(child)), 1);

const countMath = ({ children }: MathElement): number =>
  children.reduce((sum, child) => sum + (typeof child === 'string' ? 0 : countMath(child)), 1);

function countElements(part: Part): number {
  if ('isPlain' in part && part.isPlain) return 1;
  if (part.kind === 'mention') return 3;
  if (part.kind === 'codeBlock') {
    const token = highlight(part.code.text, part.language);
    return token ? countTokens(token) : 1;
  }
  if (part.kind === 'formula' || part.kind === 'formulaBlock') {
    const formula = renderFormula(part.formula.text, true);
    return 'message' in formula ? 3 : countMath(formula);
  }
  return 1;
}

const fill = (unit: string, length = limits.messageText - 20) =>
  unit.repeat(Math.floor(length / unit.length));
const mention = mentionOf('a'.repeat(16));

it.each([
  ['two formulas of 970 letters', `$$${fill('x_1^2+', 970)}$$ $$${fill('\\sqrt2+', 970)}$$`],
  ['short formulas', fill('$x_1^2$ ')],
  ['formulas of commands with many elements', fill('$\\LaTeX$ ')],
  ['one formula in many cells', `|a|b|\n|-|-|\n${fill('|$x^2$|$y$|\n')}`],
  ['formulas in quotes and lists', fill('> - $x_1^2$\n\n')],
  ['mentions', fill(mention)],
  ['code of short words', `\`\`\`python\n${fill('if f(1): "a" # b\n')}\n\`\`\``],
  ['many blocks of code', fill('```c\nif (1) "a";\n```\n')],
  ['all of it', fill(`$x^2$ ${mention} **b** \n\`\`\`c\nif (1)\n\`\`\`\n`)],
])('a message of %s makes a bounded number of elements [MARKUP-23]', (_, text) => {
  expect(text.length).toBeLessThanOrEqual(limits.messageText);
  const parts = allParts(parseMessage(text).blocks);
  const elements = parts.reduce((sum, part) => sum + countElements(part), 0);
  expect(elements).toBeLessThan(maxElements);
});

it('shows the first parts of a message that fit its budget, and the others plainly [MARKUP-23]', () => {
  const long = 'x+'.repeat(200);
  const { blocks, cost } = parseMessage(`$${long}$ then $${long}$ and $x^2$`);
  const formulas = allParts(blocks).filter((part) => part.kind === 'formula');
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
  const parts = allParts(parseMessage(notes.join('\n')).blocks);
  expect(parts.filter((part) => 'isPlain' in part)).toEqual([]);
});

it('costs nothing without formulas, colored code and mentions [MARKUP-24]', () => {
  expect(parseMessage('**a** `b` [c](https://d.example)\n```\nplain code\n```').cost).toBe(0);
});
