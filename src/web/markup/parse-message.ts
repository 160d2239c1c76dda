import { parseMarkup } from './parse-markup.ts';
import { listPieces } from './plain-text.ts';
import { spendBudget } from './spend-budget.ts';

export function parseMessage(source: string) {
  const blocks = parseMarkup(source);
  return { blocks, pieces: listPieces(blocks), cost: spendBudget(blocks) };
}
