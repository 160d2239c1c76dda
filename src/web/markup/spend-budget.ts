// A message has one budget for the parts that are slow to show. Parts that exceed the budget are shown plainly.
import { type Block, type Inline, maxMessageCost } from './markup.ts';

/** The persona's icon and the colors of the name. */
const mentionCost = 20;
/** The elements around a formula. */
const formulaCost = 10;
/** Letters of usual formulas make half an element to one, and letters of some commands more than two. */
const costPerLetter = 2;
/** The letters of a token, on average. */
const lettersPerToken = 4;

/**
 * Marks the formulas, mentions and blocks of code that exceed the budget, in the order of the message.
 *
 * @returns the cost of the formulas and colors within the budget
 */
export function spendBudget(blocks: readonly Block[]): number {
  let budget = maxMessageCost;
  let totalCost = 0;
  visitAll(blocks);
  return totalCost;

  function spend(part: { isPlain?: true }, cost: number): boolean {
    if (cost > budget) {
      part.isPlain = true;
      return false;
    }
    budget -= cost;
    return true;
  }

  function spendLater(part: { isPlain?: true }, cost: number): void {
    if (spend(part, cost)) totalCost += cost;
  }

  function visitAll(parts: readonly (Block | Inline)[]): void {
    for (const part of parts) visit(part);
  }

  function visit(part: Block | Inline): void {
    switch (part.kind) {
      case 'formula':
      case 'formulaBlock':
        return spendLater(part, formulaCost + costPerLetter * part.formula.text.length);
      case 'codeBlock':
        if (part.language) spendLater(part, Math.ceil(part.code.text.length / lettersPerToken));
        return;
      case 'mention':
        spend(part, mentionCost);
        return;
      case 'quote':
      case 'spoilerBlock':
        return visitAll(part.blocks);
      case 'list':
        return part.items.forEach(({ blocks: itemBlocks }) => visitAll(itemBlocks));
      case 'table':
        return part.rows.forEach((row) => row.forEach(visitAll));
      case 'paragraph':
      case 'heading':
      case 'strong':
      case 'emphasis':
      case 'strike':
      case 'spoiler':
      case 'link':
        return visitAll(part.content);
      case 'text':
      case 'code':
    }
  }
}
