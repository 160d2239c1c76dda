import type { ReactNode } from 'react';
import { formatMoment } from '#web/format.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Status } from '#web/ui/status.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import type { ChatState } from './chat-state.ts';
import { StorageNotice } from './storage-notice.tsx';
import styles from './chat.module.css';

interface Props {
  label: string;
  courseName: string;
  /** The term is over. */
  ended: boolean;
  /** Null if the class has no panel. */
  panelButton: PanelButton | null;
  menu: ReactNode;
  tools: ReactNode;
}

/** The button with the class's code and name, which opens the panel of the class. */
export interface PanelButton {
  open: boolean;
  onPress: () => void;
}

export function ChatHeader({ label, courseName, ended, panelButton, menu, tools }: Props) {
  const hasName = courseName !== '' && courseName.toUpperCase() !== label;
  return (
    <header className={styles.head}>
      <div className={styles.headColumn}>
        {menu}
        <div className={styles.title}>
          <PageHeading className={styles.label}>
            {panelButton ? (
              <button
                type="button"
                className={styles.panelButton}
                title={hasName ? `${courseName}: class details` : 'Class details'}
                aria-expanded={panelButton.open}
                onMouseDown={keepTextFocus}
                onClick={panelButton.onPress}
              >
                <span translate="no">{label}</span>
                <Icon name="chevron" size={16} />
              </button>
            ) : (
              label
            )}
          </PageHeading>
          {ended && <Tag>Ended</Tag>}
          {hasName && (
            <p className={styles.about} dir="auto">
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
    <Status>
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
      {offline && view.state === 'loading' && (
        <p className={styles.offline}>No messages of this class are kept on this device.</p>
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
    </Status>
  );
}
