import { parseMarkup } from './parse-markup.ts';
import { listPieces, toTypedText } from './plain-text.ts';
import { spendBudget } from './spend-budget.ts';

export { findTextStructure } from './text-structure.ts';

export function parseMessage(source: string) {
  const blocks = parseMarkup(source);
  // The pieces say which formulas the budget allows to draw.
  const cost = spendBudget(blocks);
  const pieces = listPieces(blocks);
  const isMarked =
    blocks.some(({ kind }) => kind !== 'paragraph') ||
    // An environment is a formula without marks.
    pieces.some((piece) => piece.kind === 'text' && piece.typedFormula !== undefined) ||
    toTypedText(pieces) !== source;
  return { blocks, pieces, cost, isMarked };
}
