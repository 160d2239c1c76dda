import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { createPortal } from 'react-dom';
import { createStore } from '#web/store.ts';
import { Icon } from '#web/ui/icon.tsx';
import { isShortcut, isTextEntry } from '#web/ui/shortcut-keys.ts';
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
  const place = useSyncExternalStore(noticePlace.subscribe, noticePlace.getSnapshot);
  return place ? createPortal(children, place) : children;
}

/** Shows short notices for a few seconds without moving the focus. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice | null>(null);
  const show = useCallback((next: Notice) => setNotice(next), []);
  const area = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(
      () => setNotice(null),
      notice.durationMs ?? (notice.action ? 10_000 : 6_000),
    );
    return () => clearTimeout(timer);
  }, [notice]);
  const close = () => {
    // The focused button disappears.
    if (area.current?.contains(document.activeElement)) {
      document.getElementById('main')?.focus({ preventScroll: true });
    }
    // The action may have shown the next notice.
    setNotice((current) => (current === notice ? null : current));
  };
  const runAction = () => {
    notice?.action?.run();
    close();
  };
  const runUndo = useEffectEvent(runAction);
  const isUndo = notice?.action?.isUndo ?? false;
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
  return (
    <NoticesContext value={show}>
      {children}
      <AtNoticePlace>
        <div ref={area} className={styles.area} role="status">
          {notice && (
            // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- a pointer leaves the focus where it is, such as in the composer.
            <div className={styles.notice} onMouseDown={(event) => event.preventDefault()}>
              <span>{notice.text}</span>
              {notice.action && (
                <button type="button" className={styles.action} onClick={runAction}>
                  {notice.action.label}
                </button>
              )}
              <button
                type="button"
                className={styles.close}
                aria-label="Close notice"
                title="Close notice"
                onClick={close}
              >
                <Icon name="close" size={18} />
              </button>
            </div>
          )}
        </div>
      </AtNoticePlace>
    </NoticesContext>
  );
}

export function useNotify(): (notice: Notice) => void {
  return use(NoticesContext);
}
