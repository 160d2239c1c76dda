import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

// The second path has the accent color.
const drawings = {
  table: [
    'M8 88h152M48 36h34c6 0 9 3 9 9v14c0 6-3 9-9 9H67l-10 9v-9h-9c-6 0-9-3-9-9V45c0-6 3-9 9-9Z',
    'M108 54h18c6 0 9 3 9 9v5c0 6-3 9-9 9h-3v8l-9-8h-6c-6 0-9-3-9-9v-5c0-6 3-9 9-9Z',
  ],
  door: [
    'M8 88h40V34c0-5 3-8 8-8h36c5 0 8 3 8 8v54H62V40c0-3 1-5 4-6l26-8',
    'M92 60v5M100 88h14c8 0 6-14 14-14s6 14 14 14h18',
  ],
  lens: [
    'M8 88h46c12 0 24-6 31-15M84 74a24 24 0 1 0-7 6M84 74l20 14h14',
    'M54 58h22M54 48h14M118 88h42',
  ],
} as const;

interface Props {
  drawing: keyof typeof drawings;
  text: string;
  children?: ReactNode;
}

export function EmptyState({ drawing, text, children }: Props) {
  const [ink, accent] = drawings[drawing];
  return (
    <div className={styles.empty}>
      <svg className={styles.drawing} viewBox="0 20 168 76" aria-hidden="true">
        <path d={ink} />
        <path className={styles.accent} d={accent} />
      </svg>
      <p>{text}</p>
      {children}
    </div>
  );
}
