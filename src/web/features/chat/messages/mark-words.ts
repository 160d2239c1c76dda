// Marks words in a message with a CSS highlight, which changes none of React's elements.
import { messageAttribute } from './use-message-keys.ts';

/** The name in message-item.module.css. */
const highlightName = 'found-words';

/** The scripts in which no space separates words. */
const unspacedScripts =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}]/u;

/** Marks the words until the signal aborts, also while the list renders the message again. */
export function markWords(messageId: string, words: readonly string[], signal: AbortSignal): void {
  const list = document.querySelector('#main');
  // An older browser marks only the whole message.
  if (signal.aborted || !list || words.length === 0 || !('highlights' in CSS)) return;
  const pattern = toWordPattern(words);
  const highlight = new Highlight();
  const update = () => {
    highlight.clear();
    const message = list.querySelector(`[${messageAttribute}="${CSS.escape(messageId)}"]`);
    const text = message?.querySelector('[data-message-text]');
    if (text) for (const range of findRanges(text, pattern)) highlight.add(range);
  };
  const observer = new MutationObserver(update);
  observer.observe(list, { childList: true, subtree: true, characterData: true });
  CSS.highlights.set(highlightName, highlight);
  update();
  signal.addEventListener('abort', () => {
    observer.disconnect();
    // The next result may have its own highlight already.
    if (CSS.highlights.get(highlightName) === highlight) CSS.highlights.delete(highlightName);
  });
}

/** Matches the words where a word begins: 'tree' also begins 'trees', but is not in 'street'. */
export function toWordPattern(words: readonly string[]): RegExp {
  const alternatives = [...new Set(words)]
    .filter(Boolean)
    .toSorted((a, b) => b.length - a.length)
    .map((word) => toWordStart(word) + word.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(alternatives.join('|'), 'gu');
}

/** Letters and digits are separate words (FIND-4). */
function toWordStart(word: string): string {
  if (unspacedScripts.test(word)) return '';
  return /^\p{Number}/u.test(word)
    ? String.raw`(?<!\p{Number})`
    : String.raw`(?<!\p{Letter}\p{Mark}*)`;
}

export function findRanges(text: Element, pattern: RegExp): Range[] {
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (const { index, 0: word } of (node.nodeValue ?? '').matchAll(pattern)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      ranges.push(range);
    }
  }
  return ranges;
}
