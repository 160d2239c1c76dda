import { parseMarkup } from './parse-markup.ts';
import { listPieces } from './plain-text.ts';
import { spendBudget } from './spend-budget.ts';

export function parseMessage(source: string) {
  const blocks = parseMarkup(source);
  // The pieces say which formulas the budget allows to draw.
  const cost = spendBudget(blocks);
  return { blocks, pieces: listPieces(blocks), cost };
}
