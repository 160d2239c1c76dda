import type { ReactNode } from 'react';
import type { Persona } from '#contract/entities.ts';
import { formatRelativeDay, formatTimeOfDay } from '#web/format.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import styles from './message-entry.module.css';

interface EntryAuthorProps {
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
      <bdi className={styles.name} translate="no" style={{ '--hue': toPersonaLook(icon).hue }}>
        {name}
      </bdi>
      {tag && (
        <span className={styles.tag} translate="no">
          {tag}
        </span>
      )}
      <StaffBadge persona={persona} />
      {children}
    </span>
  );
}

/** When a message was written, for the end of the author's line. */
export function EntryTime({ createdAt, now }: { createdAt: number; now: Date }) {
  return (
    <time className={styles.time} dateTime={new Date(createdAt).toISOString()}>
      {formatRelativeDay(createdAt, now)}, {formatTimeOfDay(createdAt)}
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
