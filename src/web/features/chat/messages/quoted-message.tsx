import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import type { RoomMessage } from '#web/sync/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import type { Quoted } from './message-rows.ts';
import { messageSummary } from './message-summary.ts';
import styles from './quoted-message.module.css';

interface Props {
  quoted: Quoted;
  /** The author of the quoted message. */
  persona: Persona | undefined;
  tabIndex: number;
  /** Jumps to the quoted message. */
  onGo: (id: string) => void;
}

/** One line above a reply that quotes the original message. */
export function QuotedMessage({ quoted, persona, tabIndex, onGo }: Props) {
  if (typeof quoted === 'string') {
    return (
      <p className={styles.quoted}>
        <Icon name="reply" size={16} />
        {quoted === 'earlier' ? 'Reply to an earlier message' : 'Original message deleted'}
      </p>
    );
  }
  return (
    <button
      type="button"
      className={styles.quoted}
      tabIndex={tabIndex}
      onClick={() => onGo(quoted.id)}
    >
      <Icon name="reply" size={16} />
      <QuoteLine message={quoted} persona={persona} />
    </button>
  );
}

/** The author and the beginning of a message. */
export function QuoteLine({
  message,
  persona,
}: {
  message: RoomMessage;
  persona?: Persona | undefined;
}) {
  return (
    <>
      <PersonaIcon seed={persona?.icon ?? message.memberId} />
      <bdi className={styles.name}>{persona?.anonymousName ?? defaultName}</bdi>
      <bdi className={styles.text}>{messageSummary(message)}</bdi>
    </>
  );
}
