import type { ReactNode } from 'react';
import type { Persona } from '#contract/entities.ts';
import { formatRelativeMoment } from '#web/format.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './message-entry.module.css';

interface EntryAuthorProps {
  /** The stored name. */
  name: string;
  icon: string;
  /** Undefined if the browser does not know it. */
  persona: Pick<Persona, 'staff'> | undefined;
  /** Follows the name. */
  tag?: string | undefined;
  /** The end of the line. */
  children?: ReactNode;
}

/** The author of a message in a list of results, questions or cases. */
export function EntryAuthor({ name, icon, persona, tag, children }: EntryAuthorProps) {
  return (
    <span className={styles.author}>
      <PersonaIcon seed={icon} size={20} />
      <PersonaName persona={{ anonymousName: name, icon }} tag={tag} className="small" />
      <PersonaKind persona={{ anonymousName: name, ...persona }} />
      {children}
    </span>
  );
}

/** When a message was written, for the end of the author's line. */
export function EntryTime({ createdAt, now }: { createdAt: number; now: Date }) {
  return (
    <time className="time" dateTime={new Date(createdAt).toISOString()}>
      {formatRelativeMoment(createdAt, now)}
    </time>
  );
}

/** The entries while they load. */
export function EntrySkeletons() {
  return (
    <div className={styles.waiting}>
      {['80%', '60%', '70%'].map((width) => (
        <div key={width} className={styles.waitingRow}>
          <Skeleton width={120} />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}
