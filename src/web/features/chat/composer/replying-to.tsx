import type { Persona } from '#contract/entities.ts';
import type { RoomMessage } from '#web/sync/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { QuoteLine } from '../messages/quoted-message.tsx';
import styles from './replying-to.module.css';

interface Props {
  message: RoomMessage;
  persona: Persona | undefined;
  onCancel: () => void;
}

/** Shows above the field which message the next message replies to. */
export function ReplyingTo({ message, persona, onCancel }: Props) {
  return (
    <div className={styles.replying} role="group" aria-label="Your reply">
      <p className={styles.line}>
        <VisuallyHidden>Replying to </VisuallyHidden>
        <QuoteLine message={message} persona={persona} />
      </p>
      <IconButton icon="close" label="Cancel reply" onClick={onCancel} />
    </div>
  );
}
