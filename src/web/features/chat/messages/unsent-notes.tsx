import { getText } from '#web/get-text.ts';
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
          {getText('chat.unsent.keepTab', { count: message.unsentPictures.length })}
        </p>
      )}
      {(isOffline || seconds > 0) && (
        <p className={styles.waiting}>
          {isOffline ? (
            <span>{getText('chat.unsent.waiting')}</span>
          ) : (
            // It counts down without announcing each second.
            <span role="timer">
              {getText('chat.unsent.retryIn', { wait: formatWait(seconds) })}
            </span>
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
        {message.failure ?? getText('chat.unsent.failed')}
      </p>
      <div className={styles.choices}>
        {canSend && (
          <>
            <TextButton onClick={() => room.retry(message.id)}>
              {getText('common.retry')}
            </TextButton>
            <TextButton onClick={() => onEdit(message.id)}>{getText('common.edit')}</TextButton>
          </>
        )}
        {!canSend && message.text !== '' && (
          <TextButton onClick={() => void actions.copy(message)}>
            {getText('common.copy')}
          </TextButton>
        )}
        <TextButton onClick={() => room.discard(message.id)}>{getText('common.delete')}</TextButton>
      </div>
    </div>
  );
}
