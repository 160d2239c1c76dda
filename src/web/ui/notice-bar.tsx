import type { ReactNode } from 'react';
import styles from './notice-bar.module.css';

interface Props {
  text: string;
  /** The buttons. */
  children: ReactNode;
}

/** A line in the place of notices that stays until the member chooses what to do. */
export function NoticeBar({ text, children }: Props) {
  return (
    <div className={styles.bar} data-notice-bar>
      <span>{text}</span>
      <span className={styles.actions}>{children}</span>
    </div>
  );
}
