import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { CancelButton } from '../pictures/upload-note.tsx';
import type { MessageActions } from './use-message-actions.ts';
import { formatWait, useSecondsUntil } from '#web/ui/use-seconds-until.ts';
import styles from './unsent-notes.module.css';

interface Props {
  message: RoomMessage;
  isOffline: boolean;
  canSend: boolean;
  room: Room;
  actions: MessageActions;
  onEdit: (id: string) => void;
}

/** Says under an unsent message for what it waits, or why it was not sent, and what the member can do. */
export function UnsentNotes(props: Props) {
  return props.message.delivery === 'failed' ? (
    <FailedDelivery {...props} />
  ) : (
    <Waiting {...props} />
  );
}

function Waiting({ message, isOffline, room }: Props) {
  const seconds = useSecondsUntil(message.retryAt);
  return (
    <>
      {message.pictureOnlyInThisTab && (
        <p className="meta">
          This browser has no space to save the{' '}
          {message.unsentPictures.length > 1
            ? 'files. Keep this tab open until they are sent.'
            : 'file. Keep this tab open until it is sent.'}
        </p>
      )}
      {(isOffline || seconds > 0) && (
        <p className={styles.waiting}>
          {isOffline ? (
            <span>Waiting for a connection</span>
          ) : (
            // It counts down without announcing each second.
            <span role="timer">Sending again in {formatWait(seconds)}</span>
          )}
          <CancelButton onCancel={() => room.cancel(message.id)} />
        </p>
      )}
    </>
  );
}

function FailedDelivery({ message, canSend, room, actions, onEdit }: Props) {
  return (
    <div className={styles.failed}>
      <p className={styles.reason}>
        <Icon name="alert" size={16} />
        {message.failure ?? 'This message was not sent.'}
      </p>
      <div className={styles.choices}>
        {canSend && (
          <>
            <TextButton onClick={() => room.retry(message.id)}>Retry</TextButton>
            <TextButton onClick={() => onEdit(message.id)}>Edit</TextButton>
          </>
        )}
        {!canSend && message.text !== '' && (
          <TextButton onClick={() => void actions.copy(message)}>Copy</TextButton>
        )}
        <TextButton onClick={() => room.discard(message.id)}>Delete</TextButton>
      </div>
    </div>
  );
}
