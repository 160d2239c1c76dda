import { type ReactNode, useEffect } from 'react';
import { getText } from '#web/get-text.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { createLazyModule } from '#web/lazy-module.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { Status } from '#web/ui/status.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import type { ChatState } from './chat-state.ts';
import { unsentNotes } from './messages/message-item.tsx';
import styles from './chat.module.css';

const connectionNotice = createLazyModule(() => import('./connection-notice.tsx'));

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
                title={
                  hasName
                    ? getText('chat.header.classDetailsOf', { courseName })
                    : getText('chat.header.classDetails')
                }
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
          {ended && <Tag>{getText('chat.header.ended')}</Tag>}
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
export function ConnectionNotice(props: { view: RoomView; state: ChatState }) {
  const { offline, blocked } = props.state;
  // Right after the first screen, because they are needed when there is no connection.
  useEffect(() => {
    void connectionNotice.load();
    void unsentNotes.load();
  }, []);
  return (
    <Status>
      {(offline || blocked || props.view.keptAt !== null) && (
        <OnDemand code={connectionNotice} isQuiet>
          {(code) => <code.ConnectionNotice {...props} />}
        </OnDemand>
      )}
    </Status>
  );
}
