import { type ReactNode, useId } from 'react';
import styles from './profile-screen.module.css';

interface Props {
  title: string;
  /** One sentence about the purpose of the section. */
  lead: ReactNode;
  children: ReactNode;
}

export function ProfileSection({ title, lead, children }: Props) {
  const id = useId();
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id} className={styles.heading}>
        {title}
      </h2>
      <p className={styles.note}>{lead}</p>
      {children}
    </section>
  );
}
