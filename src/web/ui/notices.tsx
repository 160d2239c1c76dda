import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from 'react';
import { createPortal } from 'react-dom';
import { getText } from '#web/get-text.ts';
import { createStore } from '#web/store.ts';
import { Icon } from '#web/ui/icon.tsx';
import { isShortcut, isTextEntry } from '#web/ui/shortcut-keys.ts';
import { openDialogs } from '#web/ui/use-native-dialog.ts';
import { useStore } from '#web/use-store.ts';
import styles from './notices.module.css';

interface Notice {
  text: string;
  action?: {
    label: string;
    run: () => void;
    /** Whether the platform's shortcut for undo runs the action, too. */
    isUndo?: boolean;
  };
  durationMs?: number;
}

const NoticesContext = createContext<(notice: Notice) => void>(() => undefined);

/** The element of the open room that holds the notices. Null: they are at the bottom of the window. */
const noticePlace = createStore<HTMLElement | null>(null);

const setNoticePlace = (element: HTMLElement | null) => noticePlace.set(element);

/** Lies over the free space below the newest message, so that a notice moves nothing. */
export function NoticePlace() {
  return <div ref={setNoticePlace} className={styles.place} />;
}

/** Shows its children where notices are. */
export function AtNoticePlace({ children }: { children: ReactNode }) {
  const place = useStore(noticePlace);
  return place ? createPortal(children, place) : children;
}

/**
 * Shows short notices for a few seconds without moving the focus. A notice that someone uses stays, and the next one waits. Above a
 * modal dialog, which makes everything outside of it inert, the notices are in the dialog.
 */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notices, setNotices] = useState<readonly (Notice & { id: number })[]>([]);
  const shownCount = useRef(0);
  const isHeld = useRef(false);
  const dialog = useStore(openDialogs).at(-1);
  const show = useCallback((notice: Notice) => {
    const next = { ...notice, id: ++shownCount.current };
    const stays = isHeld.current;
    setNotices(([shown]) => (shown && stays ? [shown, next] : [next]));
  }, []);
  const [notice] = notices;
  // The action may have shown the next notice.
  const close = () => setNotices((current) => current.filter((other) => other !== notice));
  const runAction = () => {
    notice?.action?.run();
    close();
  };
  // Here, because the notice itself is not there for a moment while its place changes.
  useUndoKey(notice?.action?.isUndo ?? false, runAction);
  const area = (
    <NoticeArea>
      {notice && (
        <ShownNotice
          key={notice.id}
          notice={notice}
          onHold={(isNowHeld) => (isHeld.current = isNowHeld)}
          onAction={runAction}
          onClose={close}
        />
      )}
    </NoticeArea>
  );
  return (
    <NoticesContext value={show}>
      {children}
      {dialog ? createPortal(area, dialog) : <AtNoticePlace>{area}</AtNoticePlace>}
    </NoticesContext>
  );
}

/** Screen readers announce a text only in an element that they know, so after a change of place the text follows its element. */
function NoticeArea({ children }: { children: ReactNode }) {
  const [isKnown, setIsKnown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIsKnown(true), 100);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={styles.area} role="status">
      {isKnown && children}
    </div>
  );
}

interface ShownNoticeProps {
  notice: Notice;
  /** The notice has the focus or the pointer, or no longer has it. */
  onHold: (isHeld: boolean) => void;
  onAction: () => void;
  onClose: () => void;
}

function ShownNotice({ notice, onHold, onAction, onClose }: ShownNoticeProps) {
  const { text, action, durationMs = action ? 10_000 : 6_000 } = notice;
  const [isHovered, setIsHovered] = useState(false);
  const [isFocused, setIsFocused] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  /** What had the focus before a button of the notice. */
  const previousFocus = useRef<EventTarget | null>(null);
  const hold = useEffectEvent(onHold);
  const end = useEffectEvent(onClose);
  useEffect(() => {
    const isHeld = isHovered || isFocused;
    hold(isHeld);
    if (isHeld) return () => hold(false);
    const timer = setTimeout(() => end(), durationMs);
    return () => clearTimeout(timer);
  }, [isHovered, isFocused, durationMs]);
  const endWith = (how: () => void) => {
    how();
    if (box.current?.contains(document.activeElement)) returnFocus(previousFocus.current);
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a pointer leaves the focus where it is, such as in the composer.
    <div
      ref={box}
      className={styles.notice}
      onMouseDown={(event) => event.preventDefault()}
      onPointerEnter={() => setIsHovered(true)}
      onPointerLeave={() => setIsHovered(false)}
      onFocus={({ relatedTarget, currentTarget }) => {
        setIsFocused(true);
        if (!currentTarget.contains(relatedTarget)) previousFocus.current = relatedTarget;
      }}
      onBlur={() => setIsFocused(false)}
    >
      <span>{text}</span>
      {action && (
        <button type="button" className={styles.action} onClick={() => endWith(onAction)}>
          {action.label}
        </button>
      )}
      <button
        type="button"
        className={styles.close}
        aria-label={getText('ui.notice.close')}
        title={getText('ui.notice.close')}
        onClick={() => endWith(onClose)}
      >
        <Icon name="close" size={18} />
      </button>
    </div>
  );
}

function returnFocus(previousFocus: EventTarget | null): void {
  const dialog = openDialogs.getSnapshot().at(-1);
  const places = [
    previousFocus,
    dialog?.querySelector('[data-first-focus]'),
    document.getElementById('main'),
  ];
  for (const place of places) {
    if (place instanceof HTMLElement) place.focus({ preventScroll: true });
    if (place && place === document.activeElement) return;
  }
}

/** Runs the action on the platform's shortcut for undo. */
function useUndoKey(isUndo: boolean, onUndo: () => void): void {
  const runUndo = useEffectEvent(onUndo);
  useEffect(() => {
    if (!isUndo) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event, 'z') || event.defaultPrevented) return;
      // A text field undoes its own changes.
      if (isTextEntry(event.target)) return;
      event.preventDefault();
      runUndo();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isUndo]);
}

export function useNotify(): (notice: Notice) => void {
  return use(NoticesContext);
}
