import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useEffectEvent,
  useState,
} from 'react';
import { hasShortcutModifier, isTextEntry } from '#web/ui/shortcut-keys.ts';
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

/** Shows short notices for a few seconds without moving the focus. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice | null>(null);
  const show = useCallback((next: Notice) => setNotice(next), []);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(
      () => setNotice(null),
      notice.durationMs ?? (notice.action ? 10_000 : 6_000),
    );
    return () => clearTimeout(timer);
  }, [notice]);
  const runAction = useEffectEvent(() => {
    notice?.action?.run();
    setNotice((current) => (current === notice ? null : current));
  });
  const isUndo = notice?.action?.isUndo ?? false;
  useEffect(() => {
    if (!isUndo) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !hasShortcutModifier(event)) return;
      // A text field undoes its own changes.
      if (isTextEntry(event.target) || event.defaultPrevented) return;
      event.preventDefault();
      runAction();
    };
    addEventListener('keydown', onKeyDown);
    return () => removeEventListener('keydown', onKeyDown);
  }, [isUndo]);
  return (
    <NoticesContext value={show}>
      {children}
      <div className={styles.area} role="status">
        {notice && (
          <div className={styles.notice}>
            <span>{notice.text}</span>
            {notice.action && (
              <button
                type="button"
                className={styles.action}
                onClick={() => {
                  notice.action?.run();
                  // The action may have shown the next notice.
                  setNotice((current) => (current === notice ? null : current));
                }}
              >
                {notice.action.label}
              </button>
            )}
          </div>
        )}
      </div>
    </NoticesContext>
  );
}

export function useNotify(): (notice: Notice) => void {
  return use(NoticesContext);
}
