// Marks what a search found in a message with a CSS highlight, which changes none of React's elements.
import { findPartialMarks, parseQuery } from '#contract/message-matches.ts';
import { messageAttribute } from './use-message-keys.ts';

/** The name in message-item.module.css. */
const highlightName = 'found-words';

/** Marks what matches the query until the signal aborts, also while the list renders the message again. */
export function markWords(messageId: string, query: string, signal: AbortSignal): void {
  const list = document.querySelector('#main');
  // An older browser marks only the whole message.
  if (signal.aborted || !list || !('highlights' in CSS)) return;
  const highlight = new Highlight();
  const update = () => {
    highlight.clear();
    const message = list.querySelector(`[${messageAttribute}="${CSS.escape(messageId)}"]`);
    const text = message?.querySelector('[data-message-text]');
    if (text) for (const range of findRanges(text, query)) highlight.add(range);
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

export function findRanges(text: Element, query: string): Range[] {
  const terms = parseQuery(query);
  const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const ranges: Range[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    for (const [start, end] of findPartialMarks(node.nodeValue ?? '', terms)) {
      const range = document.createRange();
      range.setStart(node, start);
      range.setEnd(node, end);
      ranges.push(range);
    }
  }
  return ranges;
}
