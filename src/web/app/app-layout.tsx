import type { ReactNode } from 'react';
import { IconBar } from '#web/app/icon-bar.tsx';
import styles from './app-layout.module.css';

export function AppLayout({ children }: { children: ReactNode }) {
  return (
    <div className={styles.frame}>
      <a
        className={styles.skip}
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the content
      </a>
      <IconBar />
      {children}
    </div>
  );
}
