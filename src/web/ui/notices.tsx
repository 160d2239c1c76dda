import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import styles from './notices.module.css';

interface Notice {
  text: string;
  action?: { label: string; act: () => void };
}

const NoticesContext = createContext<(notice: Notice) => void>(() => undefined);

/** Shows short notices for a few seconds without moving the focus. */
export function NoticesProvider({ children }: { children: ReactNode }) {
  const [notice, setNotice] = useState<Notice | null>(null);
  const show = useCallback((next: Notice) => setNotice(next), []);
  useEffect(() => {
    if (!notice) return;
    const timer = setTimeout(() => setNotice(null), notice.action ? 10_000 : 6_000);
    return () => clearTimeout(timer);
  }, [notice]);
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
                  notice.action?.act();
                  setNotice(null);
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
