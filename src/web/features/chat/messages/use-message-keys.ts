import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
} from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { RoomMessage } from '#web/sync/room/room.ts';
import type { Anchor } from '#web/ui/menu.tsx';
import { mirrorArrow } from '#web/ui/shortcut-keys.ts';
import type { MessageRow } from './message-rows.ts';
import { listShownTools } from './message-toolbar.tsx';

/** Set on the focusable element of each message, with the message id. */
export const messageAttribute = 'data-message';

interface Dependencies {
  rows: readonly MessageRow[];
  messages: readonly RoomMessage[];
  /** The message that the list opens with, if it opens at one. */
  messageId: string | null;
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  /** Called before the list scrolls to a message of a jump. */
  onSeek: () => void;
  onMenu: (id: string, anchor: Anchor) => void;
  /** Shows collapsed messages. */
  onReveal: (ids: readonly string[]) => void;
  onType: () => void;
  /** Shows the newest message if newer ones than the last of `messages` exist. Null: it is the newest. */
  onNewest: (() => void) | null;
}

/**
 * Keyboard navigation. The list is one tab stop; the arrow keys, Home and End move between messages. On a
 * message, Tab moves to its controls, the forward arrow to its tools, and Enter opens its menu. Escape or a
 * letter moves to the composer, which receives the letter.
 */
export function useMessageKeys(dependencies: Dependencies) {
  const { rows, messages, messageId, scroller, list, onMenu, onReveal, onType, onNewest } =
    dependencies;
  const { focusedId, setFocusedId, moveFocus } = useFocusedMessage(dependencies);
  const [highlightedId, setHighlightedId] = useState(messageId);
  const index = messages.findIndex(({ id }) => id === focusedId);
  useLostFocus(rows, index, scroller);

  const moveTo = (to: number, step: 1 | -1 = -1) => {
    let row = Math.max(0, Math.min(to, rows.length - 1));
    if (step > 0) while (rows[row]?.collapsed === 'inside' && row < rows.length - 1) row += 1;
    const message = rows[findLineRow(rows, row)]?.message;
    if (message) moveFocus(message.id);
  };

  const moveByKey = (key: string, from: number | null): boolean => {
    const element = scroller.current;
    if (!element) return false;
    const bottom = element.scrollTop + element.clientHeight - 1;
    const lastVisibleIndex = list.current?.findItemIndex(bottom) ?? messages.length - 1;
    switch (key) {
      case 'ArrowUp':
        moveTo(from === null ? lastVisibleIndex : from - 1);
        return true;
      case 'ArrowDown':
        moveTo(from === null ? lastVisibleIndex : from + 1, 1);
        return true;
      case 'Home':
        moveTo(0);
        return true;
      case 'End':
        if (onNewest) onNewest();
        else moveFocus(messages.at(-1)?.id ?? null, 'end');
        return true;
      default:
        return false;
    }
  };

  /** Shows collapsed messages, and moves the focus from their line to the first of them. */
  const show = (ids: readonly string[]) => {
    onReveal(ids);
    moveFocus(ids[0] ?? null);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const message = target.closest<HTMLElement>(`[${messageAttribute}]`);
    const from = message ? messages.findIndex(({ id }) => id === getMessageId(message)) : null;
    if (moveByKey(key, from)) {
      event.preventDefault();
    } else if (key === 'Escape' || (key.length === 1 && key !== ' ')) {
      // The browser then inserts the letter into the newly focused field.
      onType();
    } else if (message && target === message && key === 'Enter') {
      event.preventDefault();
      const collapsed = from === null ? undefined : rows[from]?.collapsed;
      if (typeof collapsed === 'object') show(collapsed.ids);
      else onMenu(getMessageId(message), message.getBoundingClientRect());
    } else if (message && target === message && mirrorArrow(key) === 'ArrowRight') {
      event.preventDefault();
      listShownTools(message)[0]?.focus();
    }
  };

  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const message = event.target.closest<HTMLElement>(`[${messageAttribute}]`);
    const id = message && getMessageId(message);
    setFocusedId(id);
    setHighlightedId((previousId) => (previousId === id ? previousId : null));
  };

  /** Jumps to a loaded message and highlights it until the focus moves. */
  const jumpTo = useCallback(
    (id: string) => {
      moveFocus(id, 'center');
      setHighlightedId(id);
    },
    [moveFocus],
  );

  return { onKeyDown, onFocus, jumpTo, show, highlightedId, focusedIndex: index };
}

type Alignment = 'center' | 'nearest' | 'end';

/** The message that has the focus or had it last. A new one is scrolled into view and focused after the render. */
function useFocusedMessage({ messages, messageId, scroller, list, onSeek }: Dependencies) {
  const [focusedId, setFocusedId] = useState(messageId);
  const [, render] = useReducer((renders: number) => renders + 1, 0);
  const pendingFocusId = useRef(messageId);
  /** A jump shows its message in the center, also if it is on screen. */
  const align = useRef<Alignment>(messageId === null ? 'nearest' : 'center');

  useLayoutEffect(() => {
    const id = pendingFocusId.current;
    pendingFocusId.current = null;
    if (id === null || !scroller.current) return;
    const index = messages.findIndex((message) => message.id === id);
    const { clientHeight } = scroller.current;
    const alignment = align.current;
    align.current = 'nearest';
    if (alignment === 'center') onSeek();
    list.current?.scrollToIndex(index, { align: alignment });
    focusMessage(scroller.current, id, ({ offsetHeight }) => {
      // Of a message that is higher than the window, the other alignments show the middle or the end.
      if (alignment === 'end' || offsetHeight <= clientHeight) return;
      list.current?.scrollToIndex(index, { align: 'start' });
    });
  });

  const moveFocus = useCallback((id: string | null, alignment: Alignment = 'nearest') => {
    align.current = alignment;
    pendingFocusId.current = id;
    setFocusedId(id);
    // The message that has the focus may have been scrolled away.
    render();
  }, []);
  return { focusedId, setFocusedId, moveFocus };
}

/** Moves the focus to a line if the focused message was deleted, forgotten or collapsed. */
function useLostFocus(
  rows: readonly MessageRow[],
  index: number,
  scroller: RefObject<HTMLElement | null>,
): void {
  const isShown = index >= 0 && !rows[index]?.collapsed;
  const wasShown = useRef(isShown);
  useLayoutEffect(() => {
    const isLost = wasShown.current && !isShown && document.activeElement === document.body;
    wasShown.current = isShown;
    if (!isLost || !scroller.current) return;
    scroller.current.focus({ preventScroll: true });
    const lineId = rows[findLineRow(rows, index)]?.message.id;
    if (lineId !== undefined) focusMessage(scroller.current, lineId);
  });
}

/** The row whose line stands for the row. */
function findLineRow(rows: readonly MessageRow[], row: number): number {
  return rows[row]?.collapsed === 'inside' ? findLineRow(rows, row - 1) : row;
}

/** A new list renders its messages some frames later. */
const maxFramesToRender = 60;

function focusMessage(
  scroller: HTMLElement,
  id: string,
  onFocused?: (element: HTMLElement) => void,
  frames = maxFramesToRender,
): void {
  const element = scroller.querySelector<HTMLElement>(`[${messageAttribute}="${id}"]`);
  element?.focus({ preventScroll: true });
  // Until it is measured, a message is hidden and takes no focus.
  if (element && document.activeElement === element) onFocused?.(element);
  else if (frames > 0) {
    requestAnimationFrame(() => focusMessage(scroller, id, onFocused, frames - 1));
  }
}

function getMessageId(element: HTMLElement): string {
  return element.getAttribute(messageAttribute) ?? '';
}
