import { defaultName } from '#contract/default-name.ts';
import type { Persona } from '#contract/entities.ts';
import type { RoomMessage } from '#web/sync/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import type { Answered } from './message-rows.ts';
import { messageSummary } from './message-summary.ts';
import styles from './answered-message.module.css';

interface Props {
  answered: Answered;
  /** Of the answered message's author. */
  persona: Persona | undefined;
  tabIndex: number;
  /** Leads to the message. */
  onGo: (id: string) => void;
}

/** One line above a message: which other one it answers. */
export function AnsweredMessage({ answered, persona, tabIndex, onGo }: Props) {
  if (typeof answered === 'string') {
    return (
      <p className={styles.answered}>
        <Icon name="reply" size={16} />
        {answered === 'earlier' ? 'Reply to an earlier message' : 'Original message deleted'}
      </p>
    );
  }
  return (
    <button
      type="button"
      className={styles.answered}
      tabIndex={tabIndex}
      onClick={() => onGo(answered.id)}
    >
      <Icon name="reply" size={16} />
      <AnsweredLine message={answered} persona={persona} />
    </button>
  );
}

/** Who said it and how it began. */
export function AnsweredLine({
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
