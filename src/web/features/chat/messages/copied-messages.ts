import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { describeImages, formatMoment, formatTimeOfDay, toSpokenName } from '#web/format.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { toCopiedText } from './copied-text.ts';
import { messageAttribute } from './use-message-keys.ts';

interface Props {
  view: Pick<RoomView, 'messages' | 'personas'>;
  tags: ReadonlyMap<string, string>;
  list: { scroll: { scrollerRef: RefObject<HTMLElement | null> } };
  /** Gets the ids of the selected messages. Their rows must stay, or a selection that is longer than the window loses its start. */
  onSelect: (ids: ReadonlySet<string>) => void;
}

/** Copies what is selected in the list, see copied-text.ts. */
export function CopiedMessages(props: Props) {
  const { view, list, onSelect } = props;
  const reported = useRef('');
  const reportSelection = useEffectEvent(() => {
    const ids = listSelectedIds(list.scroll.scrollerRef.current, view.messages);
    if (ids.join() === reported.current) return;
    reported.current = ids.join();
    onSelect(new Set(ids));
  });
  const copy = useEffectEvent((event: ClipboardEvent) => {
    const { target, clipboardData } = event;
    if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
    // The browser has not reported a selection of this moment yet.
    flushSync(reportSelection);
    const selectedMessages = listSelectedMessages(props);
    if (!clipboardData || selectedMessages.length === 0) return;
    const { text, html } = toCopiedText(selectedMessages);
    clipboardData.setData('text/plain', text);
    clipboardData.setData('text/html', html);
    event.preventDefault();
  });
  useEffect(() => {
    const handleSelection = () => reportSelection();
    const handleCopy = (event: ClipboardEvent) => copy(event);
    document.addEventListener('selectionchange', handleSelection);
    // After 'Select all', the event does not pass the list.
    document.addEventListener('copy', handleCopy);
    return () => {
      document.removeEventListener('selectionchange', handleSelection);
      document.removeEventListener('copy', handleCopy);
    };
  }, []);
  return null;
}

/** The selected range, if it has a part of the list. */
function findRange(scroller: HTMLElement | null): Range | null {
  const selection = getSelection();
  if (!scroller || !selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  return range.intersectsNode(scroller) ? range : null;
}

function listRows(scroller: HTMLElement, range: Range): HTMLElement[] {
  return [...scroller.querySelectorAll<HTMLElement>(`[${messageAttribute}]`)].filter((row) =>
    range.intersectsNode(row),
  );
}

/** None, if only one message is selected: it is not longer than the window's buffer. */
function listSelectedIds(scroller: HTMLElement | null, messages: readonly RoomMessage[]): string[] {
  const range = findRange(scroller);
  if (!scroller || !range) return [];
  const ids = messages.map(({ id }) => id);
  // 'Select all' also means the messages that are not rendered.
  if (!scroller.contains(range.commonAncestorContainer)) return ids;
  const rows = listRows(scroller, range);
  if (rows.length < 2) return [];
  const rowIds = rows.map((row) => row.getAttribute(messageAttribute) ?? '');
  return ids.slice(ids.indexOf(rowIds[0] ?? ''), ids.indexOf(rowIds.at(-1) ?? '') + 1);
}

function listSelectedMessages({ view, tags, list }: Props) {
  const { messages, personas } = view;
  const scroller = list.scroll.scrollerRef.current;
  const range = findRange(scroller);
  if (!scroller || !range) return [];
  const selectedMessages = listRows(scroller, range).flatMap((row) => {
    const id = row.getAttribute(messageAttribute);
    const message = messages.find((item) => item.id === id);
    if (!message) return [];
    const isWhole =
      range.comparePoint(row, 0) === 0 && range.comparePoint(row, row.childNodes.length) === 0;
    const content = cloneSelected(row.querySelector('[data-message-text]'), range);
    const additions = isWhole && !message.isConcealed ? listAdditions(message) : [];
    return content?.textContent || additions.length > 0 ? [{ message, content, additions }] : [];
  });
  const days = new Set(
    selectedMessages.map(({ message }) => new Date(message.createdAt).toDateString()),
  );
  const formatTime = days.size > 1 ? formatMoment : formatTimeOfDay;
  return selectedMessages.map(({ message, content, additions }) => {
    const { memberId, createdAt } = message;
    const name = toSpokenName(personas.get(memberId), tags.get(memberId));
    const heading = removeIsolates(`${name}, ${formatTime(createdAt)}`);
    return { heading, content, additions: additions.map(removeIsolates) };
  });
}

function listAdditions({ images, poll }: RoomMessage): string[] {
  const options = poll?.options.map((option) => `- ${option}`) ?? [];
  return [describeImages(images), ...options].filter(Boolean);
}

/** The selected part of a text. Several paragraphs or items stay in their list or quote. */
function cloneSelected(text: Element | null, range: Range): Node | null {
  if (!text || !range.intersectsNode(text)) return null;
  const part = document.createRange();
  part.selectNodeContents(text);
  if (part.compareBoundaryPoints(Range.START_TO_START, range) < 0) {
    part.setStart(range.startContainer, range.startOffset);
  }
  if (part.compareBoundaryPoints(Range.END_TO_END, range) > 0) {
    part.setEnd(range.endContainer, range.endOffset);
  }
  let content = part.cloneContents();
  if (!content.querySelector('p, li')) return content;
  let ancestor: Node | null = part.commonAncestorContainer;
  for (; ancestor && ancestor !== text; ancestor = ancestor.parentNode) {
    if (!(ancestor instanceof Element) || !ancestor.matches('ul, ol, li, blockquote')) continue;
    const outer = ancestor.cloneNode();
    outer.appendChild(content);
    content = document.createDocumentFragment();
    content.append(outer);
  }
  return content;
}

/** The marks around the values of texts from right to left are not for the clipboard. */
function removeIsolates(text: string): string {
  return text.replaceAll(/[\u2068\u2069]/g, '');
}
