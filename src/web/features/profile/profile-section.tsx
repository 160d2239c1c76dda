import { type ReactNode, useId } from 'react';
import { errorMessage, NetworkError } from '#web/api.ts';
import { Callout } from '#web/ui/callout.tsx';
import styles from './profile-screen.module.css';

interface Props {
  title: string;
  /** One sentence about the purpose of the section. */
  lead: ReactNode;
  /** Why the content could not be loaded. */
  failure?: Error | null;
  children: ReactNode;
}

export function ProfileSection({ title, lead, failure = null, children }: Props) {
  const id = useId();
  const isOffline = failure instanceof NetworkError;
  return (
    <section className={styles.section} aria-labelledby={id}>
      <h2 id={id} className={styles.heading}>
        {title}
      </h2>
      <p className={styles.note}>{lead}</p>
      {isOffline && <p>You see this as soon as the server can be reached again.</p>}
      <Callout kind="error">{failure && !isOffline ? errorMessage(failure) : null}</Callout>
      {children}
    </section>
  );
}
