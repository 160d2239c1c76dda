import type { ReactNode } from 'react';
import { formatMoment } from '#web/format.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Tag } from '#web/ui/tag.tsx';
import type { ChatState } from './chat-state.ts';
import { StorageNotice } from './storage-notice.tsx';
import styles from './chat.module.css';

interface Props {
  label: string;
  courseName: string;
  /** The term is over. */
  ended: boolean;
  tools: ReactNode;
}

export function ChatHeader({ label, courseName, ended, tools }: Props) {
  return (
    <header className={styles.head}>
      <div className={styles.headColumn}>
        <div className={styles.title}>
          <PageHeading className={styles.label}>{label}</PageHeading>
          {ended && <Tag>Ended</Tag>}
          {courseName && courseName.toUpperCase() !== label && (
            <p className={styles.about} dir="auto" title={courseName}>
              {courseName}
            </p>
          )}
        </div>
        <div className={styles.tools}>{tools}</div>
      </div>
    </header>
  );
}

/** Says why messages are missing or are not sent. */
export function ConnectionNotice({ view, state }: { view: RoomView; state: ChatState }) {
  const { offline, blocked, closed } = state;
  return (
    <div role="status">
      {offline && (
        <p className={styles.offline}>
          You are offline.{!closed && ' Messages will be sent when you are back.'}
        </p>
      )}
      {view.keptAt !== null && (
        <p className={styles.offline}>
          These messages were kept on this device on {formatMoment(view.keptAt)}.
        </p>
      )}
      {blocked && (
        <p className={styles.offline}>
          Live updates are blocked.
          {!closed && ' Your messages are saved here and will be sent later.'} Try another network.
          If the problem continues, tell the operator of this server that WebSocket connections
          fail.
        </p>
      )}
      {(offline || blocked) && view.messages.some(({ delivery }) => delivery === 'sending') && (
        <StorageNotice />
      )}
    </div>
  );
}
