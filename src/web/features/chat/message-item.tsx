import { memo } from 'react';
import type { Persona } from '#contract/entities.ts';
import type { Room, RoomMessage } from '#web/sync/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { personaLook } from '#web/ui/persona-look.ts';
import { MessageText } from './message-text.tsx';
import { dayName, timeOfDay } from './message-time.ts';
import styles from './message-item.module.css';

interface Props {
  message: RoomMessage;
  startsDay: boolean;
  startsGroup: boolean;
  persona: Persona | undefined;
  mine: boolean;
  room: Room;
}

export const MessageItem = memo(function MessageItem(props: Props) {
  const { message, startsDay, startsGroup, persona, mine, room } = props;
  // Nobody has a persona here before the first message: the icon's seed is the member's id.
  const seed = persona?.icon ?? message.memberId;
  const time = (
    <time dateTime={new Date(message.createdAt).toISOString()}>{timeOfDay(message.createdAt)}</time>
  );
  return (
    <div className={startsGroup ? `${styles.item} ${styles.starts}` : styles.item}>
      {startsDay && <h2 className={styles.day}>{dayName(message.createdAt)}</h2>}
      <div className={styles.row}>
        {startsGroup ? (
          <div className={styles.icon}>
            <PersonaIcon seed={seed} />
          </div>
        ) : (
          <div className={styles.side}>{time}</div>
        )}
        <div className={styles.body}>
          {startsGroup && (
            <p className={styles.head} style={{ '--hue': personaLook(seed).hue }}>
              <bdi className={styles.name}>{persona?.anonymousName ?? 'Anonymous'}</bdi>
              {mine && <span className={styles.you}>(you)</span>}
              <span className={styles.time}>{time}</span>
            </p>
          )}
          <p
            className={
              message.delivery === 'sent' ? styles.text : `${styles.text} ${styles.sending}`
            }
            dir="auto"
            aria-busy={message.delivery === 'sending'}
          >
            <MessageText text={message.text} />
            {message.editedAt !== null && <span className={styles.edited}> (edited)</span>}
          </p>
          {message.delivery === 'failed' && (
            <div className={styles.failed}>
              <Icon name="alert" size={16} />
              <span>{message.failure ?? 'This message was not sent.'}</span>
              <Button look="plain" onClick={() => room.retry(message.id)}>
                Retry
              </Button>
              <Button look="plain" onClick={() => room.discard(message.id)}>
                Delete
              </Button>
            </div>
          )}
        </div>
      </div>
    </div>
  );
});
