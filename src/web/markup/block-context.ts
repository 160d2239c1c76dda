// What the parsers of blocks do with the place in the message that Lezer gives them. Two of its fields are not in its types.
import type { BlockContext, Line } from '@lezer/markdown';
import type { Input } from '@lezer/common';
import { maxFormula } from '#contract/formula-syntax.ts';

export function addLine(context: BlockContext, line: Line, type: string): void {
  const from = context.lineStart + line.pos;
  context.nextLine();
  context.addElement(context.elt(type, from, context.prevLineEnd()));
}

/** The rest of the message, or a part of it. A parser of blocks can otherwise look only at two lines. */
export function sliceText(
  context: BlockContext,
  line: Line,
  from = context.lineStart + line.pos,
  to = from + 2 * maxFormula,
): string {
  const { input } = context as BlockContext & { input: Input };
  return input.read(from, Math.min(to, input.length));
}

/** The number of quotes and lists whose marks the line has. */
export function getDepth(line: Line): number {
  return (line as Line & { depth: number }).depth;
}

export function addParagraph(context: BlockContext, text: string, from: number): void {
  const content = context.parser.parseInline(text, from);
  context.addElement(context.elt('Paragraph', from, from + text.length, content));
}
