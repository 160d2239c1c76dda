import { useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { NavigationType, useLocation, useNavigate, useNavigationType } from 'react-router';
import { addMessageRequest } from '#web/features/chat/messages/use-linked-message.ts';
import type { QuestionTab } from '#web/features/questions/question-panel.tsx';
import { coveringPanel } from '#web/ui/breakpoints.ts';
import { goBack } from '#web/ui/use-back-to-close.ts';
import { useMediaQuery } from '#web/ui/use-media-query.ts';

export type ClassTab = 'details' | 'people' | 'pictures';

/** What the panel shows. */
type Panel =
  | { kind: 'search'; query: string }
  | { kind: 'class'; tab: ClassTab }
  | { kind: 'questions'; tab: QuestionTab };

/** A part of the state of a history entry while the panel is open. */
interface PanelState {
  panel: Panel;
  /** The panel has its own history entry, so Back closes it. */
  hasEntry: boolean;
}

function parseState(state: unknown): PanelState | null {
  if (typeof state !== 'object' || state === null || !('panel' in state)) return null;
  const { panel, hasEntry } = state as PanelState;
  return { panel, hasEntry };
}

/**
 * The panel of the open class. Its state is in the browser's history, so that a member who followed a link of the panel
 * to a message comes back to the panel. In a window without room for both, the panel covers the room, and Back closes it.
 */
export function useSidePanel() {
  const { pathname, search, state } = useLocation();
  const navigate = useNavigate();
  const coversRoom = useMediaQuery(coveringPanel);
  const entry = parseState(state);
  /** The router renders the new history entry later: until then, keys would go to the composer. */
  const [openingPanel, setOpeningPanel] = useState<Panel | null>(null);
  if (openingPanel && entry?.panel.kind === openingPanel.kind) setOpeningPanel(null);
  const shownPanel = openingPanel ?? entry?.panel ?? null;
  const isOpen = shownPanel !== null;
  const hasComeBack = useNavigationType() === NavigationType.Pop && openingPanel === null;
  /** Moves the focus when the panel closes. */
  const moveFocus = useRef<() => void>(() => undefined);
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) moveFocus.current();
    wasOpen.current = isOpen;
  }, [isOpen]);

  const show = (next: PanelState | null, replace: boolean) =>
    void navigate(pathname + search, { state: next, replace });
  const close = () => {
    setOpeningPanel(null);
    if (entry?.hasEntry) goBack();
    else show(null, true);
  };
  return {
    /** Null if the panel is closed. */
    shown: shownPanel,
    coversRoom,
    /** The member came back to the panel through the browser's history. */
    hasComeBack,
    open(panel: Panel) {
      if (!isOpen) {
        const { activeElement } = document;
        moveFocus.current = () => focusElement(activeElement);
      }
      flushSync(() => setOpeningPanel(panel));
      show({ panel, hasEntry: coversRoom }, !coversRoom);
    },
    /** Changes what the open panel shows. */
    change(panel: Panel) {
      if (entry) show({ ...entry, panel }, true);
    },
    close,
    /** Closes the panel and focuses the message field, also on a phone. */
    closeToComposer() {
      moveFocus.current = focusMessageField;
      close();
    },
    /** The state of the history entry of an opened message. If it is next to the room, the panel stays open. */
    messageState: addMessageRequest(coversRoom ? null : entry),
  };
}

export function focusMessageField(): void {
  focusElement(document.querySelector('#main [data-first-focus]'));
}

function focusElement(element: Element | null): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
}

export type SidePanel = ReturnType<typeof useSidePanel>;
