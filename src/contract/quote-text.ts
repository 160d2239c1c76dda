import { limits } from './limits.ts';
import { parseMentionTokens } from './mentions.ts';

/** A spoiler whose text is not told. */
export const emptySpoiler = '||…||';

/**
 * The start of a quoted text. It cuts no mention and no surrogate pair.
 *
 * @param spoilers what else it does not cut
 */
export function cutQuote(text: string, spoilers: readonly { from: number; to: number }[]): string {
  const max = limits.quoteText; // CHAT-30
  const cut = [...spoilers, ...toRanges(text)].find(({ from, to }) => from < max && to > max);
  return text.slice(0, cut ? cut.from : max).replace(/[\ud800-\udbff]$/, '');
}

function toRanges(text: string) {
  return parseMentionTokens(text).map(({ start, end, isEscaped }) => {
    return { from: isEscaped ? start - 1 : start, to: end };
  });
}

/** The quote of a text that this browser has. With bars it stays whole, because what finds spoilers may not have loaded. */
export function toLocalQuote(text: string): string {
  return text.includes('||') ? text : cutQuote(text, []);
}
