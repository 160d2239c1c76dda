import {
  type FocusEvent,
  type KeyboardEvent,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { RoomMessage } from '#web/sync/room.ts';
import type { Anchor } from '#web/ui/menu.tsx';

/** Set on the focusable element of each message, with the message id. */
export const messageAttribute = 'data-message';

interface Parts {
  messages: readonly RoomMessage[];
  scroller: RefObject<HTMLElement | null>;
  list: RefObject<VirtualizerHandle | null>;
  onMenu: (id: string, at: Anchor) => void;
  onType: () => void;
}

/**
 * Keyboard navigation. The list is one tab stop; the arrow keys, Home and End move between messages. On a
 * message, Tab or the right arrow moves to its tools, and Enter opens its menu. Escape or a letter moves to
 * the composer, which receives the letter.
 */
export function useMessageKeys({ messages, scroller, list, onMenu, onType }: Parts) {
  const [current, setCurrent] = useState<string | null>(null);
  const [found, setFound] = useState<string | null>(null);
  const goingTo = useRef<string | null>(null);
  const index = messages.findIndex(({ id }) => id === current);

  useLayoutEffect(() => {
    const id = goingTo.current;
    goingTo.current = null;
    if (id === null || !scroller.current) return;
    list.current?.scrollToIndex(
      messages.findIndex((message) => message.id === id),
      { align: 'nearest' },
    );
    const element = scroller.current.querySelector<HTMLElement>(`[${messageAttribute}="${id}"]`);
    element?.focus({ preventScroll: true });
  });

  const go = (to: number) => {
    const message = messages[Math.max(0, Math.min(to, messages.length - 1))];
    if (!message) return;
    goingTo.current = message.id;
    setCurrent(message.id);
  };

  const goByKey = (key: string, from: number | null): boolean => {
    const element = scroller.current;
    if (!element) return false;
    const bottom = element.scrollTop + element.clientHeight - 1;
    const inView = list.current?.findItemIndex(bottom) ?? messages.length - 1;
    switch (key) {
      case 'ArrowUp':
        go(from === null ? inView : from - 1);
        return true;
      case 'ArrowDown':
        go(from === null ? inView : from + 1);
        return true;
      case 'Home':
        go(0);
        return true;
      case 'End':
        go(messages.length - 1);
        return true;
      default:
        return false;
    }
  };

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    if (ctrlKey || metaKey || altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement;
    const message = target.closest<HTMLElement>(`[${messageAttribute}]`);
    const from = message ? messages.findIndex(({ id }) => id === idOf(message)) : null;
    if (goByKey(key, from)) {
      event.preventDefault();
    } else if (key === 'Escape' || (key.length === 1 && key !== ' ')) {
      // The browser then inserts the letter into the newly focused field.
      onType();
    } else if (message && target === message && key === 'Enter') {
      event.preventDefault();
      onMenu(idOf(message), message.getBoundingClientRect());
    } else if (message && target === message && key === 'ArrowRight') {
      event.preventDefault();
      message.querySelector<HTMLElement>('[role=toolbar] button')?.focus();
    }
  };

  const onFocus = (event: FocusEvent<HTMLElement>) => {
    const message = event.target.closest<HTMLElement>(`[${messageAttribute}]`);
    const id = message && idOf(message);
    setCurrent(id);
    setFound((before) => (before === id ? before : null));
  };

  /** Jumps to a loaded message and highlights it until the focus moves. */
  const goTo = useCallback((id: string) => {
    goingTo.current = id;
    setCurrent(id);
    setFound(id);
  }, []);

  return { onKeyDown, onFocus, goTo, found, focusedIndex: index };
}

function idOf(element: HTMLElement): string {
  return element.getAttribute(messageAttribute) ?? '';
}
