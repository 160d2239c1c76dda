import type { ReactNode } from 'react';
import { formatMoment } from '#web/format.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Status } from '#web/ui/status.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import type { ChatState } from './chat-state.ts';
import { slim } from '#web/ui/breakpoints.ts';
import { useMediaQuery } from '#web/ui/use-media-query.ts';
import { useMayLoseUnsent } from './use-may-lose-unsent.ts';
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

/** Says why messages are missing or are not sent. On a phone, one sentence is visible and opens the others. */
export function ConnectionNotice({ view, state }: { view: RoomView; state: ChatState }) {
  const isPhone = useMediaQuery(slim);
  const { offline, blocked, closed } = state;
  const isWaiting = view.messages.some(({ delivery }) => delivery === 'sending');
  const mayLoseUnsent = useMayLoseUnsent((offline || blocked) && isWaiting);
  const sentences = [
    offline && `You are offline.${closed ? '' : ' Messages will be sent when you are back.'}`,
    view.keptAt !== null &&
      `These messages were kept on this device on ${formatMoment(view.keptAt)}.`,
    offline && view.state === 'loading' && 'No messages of this class are kept on this device.',
    blocked &&
      `Live updates are blocked.${closed ? '' : ' Your messages are saved here and will be sent later.'}`,
    blocked &&
      'Try another network. If the problem continues, tell the operator of this server that WebSocket connections fail.',
    mayLoseUnsent && 'This browser may keep unsent messages only for a few days.',
  ].filter((sentence) => sentence !== false);
  const [first, ...others] = sentences;
  const paragraphs = (shown: readonly string[]) =>
    shown.map((sentence) => <p key={sentence}>{sentence}</p>);
  if (!isPhone || others.length === 0) {
    return (
      <Status>{first && <div className={styles.offline}>{paragraphs(sentences)}</div>}</Status>
    );
  }
  return (
    <Status>
      <details className={styles.offline}>
        <summary>{first}</summary>
        {paragraphs(others)}
      </details>
    </Status>
  );
}
