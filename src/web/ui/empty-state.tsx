import type { ReactNode } from 'react';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import styles from './empty-state.module.css';

const seeds = ['one', 'four', 'f', 'three', 'c'];

/** The tiles of people that no one is: what is shown where no one has written yet. */
export function Crowd({ count, size }: { count: number; size: number }) {
  return (
    <div className="row" aria-hidden="true">
      {seeds.slice(0, count).map((seed) => (
        <PersonaIcon key={seed} seed={seed} size={size} />
      ))}
    </div>
  );
}

export function EmptyState({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <Crowd count={3} size={36} />
      <p>{text}</p>
      {children}
    </div>
  );
}
