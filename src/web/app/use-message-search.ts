import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { NavigationType, useLocation, useNavigate, useNavigationType } from 'react-router';
import { addMessageRequest } from '#web/features/chat/messages/use-linked-message.ts';
import { hasShortcutModifier } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer } from '#web/ui/use-escape.ts';
import { coveringSearch } from '#web/ui/breakpoints.ts';
import { useMediaQuery } from '#web/ui/use-media-query.ts';

/** The state of a history entry while the panel is open. */
interface PaneState {
  pane: 'message-search';
  query: string;
  /** The panel has its own history entry, so Back closes it. */
  hasEntry: boolean;
}

function parseState(state: unknown): PaneState | null {
  const isOpen =
    typeof state === 'object' &&
    state !== null &&
    'pane' in state &&
    state.pane === 'message-search';
  if (!isOpen) return null;
  const { pane, query, hasEntry } = state as PaneState;
  return { pane, query, hasEntry };
}

/**
 * The panel that searches the messages of the open class. Its state is in the browser's history, so that a
 * member who opened a result comes back to the results. In a window without room for both, the panel covers the
 * room, and Back closes it.
 */
export function useMessageSearch() {
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const coversRoom = useMediaQuery(coveringSearch);
  const pane = parseState(state);
  /** The router renders the new history entry later: until then, keys would go to the composer. */
  const [isOpening, setIsOpening] = useState(false);
  if (isOpening && pane) setIsOpening(false);
  const isOpen = pane !== null || isOpening;
  const hasComeBack = useNavigationType() === NavigationType.Pop && !isOpening;
  const previousFocus = useRef<Element | null>(null);
  const [lastQuery, setLastQuery] = useState('');
  const wasOpen = useRef(isOpen);

  const show = (next: PaneState | null, replace: boolean) =>
    void navigate(pathname + search, { state: next, replace });
  const open = () => {
    previousFocus.current = document.activeElement;
    flushSync(() => setIsOpening(true));
    show({ pane: 'message-search', query: lastQuery, hasEntry: coversRoom }, !coversRoom);
  };
  const close = () => {
    setIsOpening(false);
    if (pane?.hasEntry) void navigate(-1);
    else show(null, true);
  };
  useEffect(() => {
    if (wasOpen.current && !isOpen && previousFocus.current instanceof HTMLElement) {
      previousFocus.current.focus({ preventScroll: true });
    }
    wasOpen.current = isOpen;
  }, [isOpen]);
  useFindShortcut(isOpen, open);

  return {
    isOpen,
    coversRoom,
    query: pane?.query ?? lastQuery,
    open,
    close,
    /** The member came back to the panel through the browser's history. */
    hasComeBack,
    setQuery(query: string) {
      setLastQuery(query);
      if (pane) show({ ...pane, query }, true);
    },
    /** The state of the history entry of an opened result. If it is next to the room, the panel stays open. */
    resultState: addMessageRequest(coversRoom ? null : pane),
  };
}

/** Set on the search field of the panel. */
export const searchFieldId = 'message-search-field';

/**
 * Ctrl+F searches the class instead of the page, because the page holds only the messages around the visible
 * ones. With the focus in the search field it opens the browser's own search.
 */
function useFindShortcut(isOpen: boolean, open: () => void): void {
  const onKeyDown = useEffectEvent((event: KeyboardEvent) => {
    if (!hasShortcutModifier(event) || event.key.toLowerCase() !== 'f' || hasOpenLayer()) return;
    const field = document.querySelector<HTMLInputElement>(`#${searchFieldId}`);
    if (field && field === document.activeElement) return;
    event.preventDefault();
    if (!isOpen) open();
    field?.select();
  });
  useEffect(() => {
    const handleKeyDown = (event: KeyboardEvent) => onKeyDown(event);
    window.addEventListener('keydown', handleKeyDown);
    return () => window.removeEventListener('keydown', handleKeyDown);
  }, []);
}
