import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { Room, RoomMessage, RoomView } from '#web/sync/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { keepDraft, readDraft } from '#web/data/drafts.ts';
import { fitHeight, isSendKey } from './text-area.ts';
import { PictureButton } from './choose-picture.tsx';
import { ReplyingTo } from './replying-to.tsx';
import { StagedPicture } from './staged-picture.tsx';
import styles from './composer.module.css';

interface Props {
  classId: string;
  label: string;
  field: RefObject<HTMLTextAreaElement | null>;
  room: Room;
  view: RoomView;
  /** The message that the next message replies to. */
  replyingTo: RoomMessage | null;
  onCancelReply: () => void;
  /** Starts an edit of the member's last message. */
  onEditLast: () => void;
}

const count = new Intl.NumberFormat('en');
const nearLimit = limits.messageText - 200;

export function Composer(props: Props) {
  const { classId, label, field, room, view, replyingTo, onCancelReply, onEditLast } = props;
  const [text, setText] = useState(() => readDraft(classId));
  const { staging } = room;
  const { picture, reading, problem } = useSyncExternalStore(
    staging.subscribe,
    staging.getSnapshot,
  );
  const body = text.trim();
  const tooLong = body.length > limits.messageText;
  const ready = (body !== '' || picture !== null) && !tooLong && !reading;

  useLayoutEffect(() => fitHeight(field.current, text), [field, text]);
  useEffect(() => {
    // Focuses only on devices with a mouse: on a phone the on-screen keyboard would cover the room.
    if (matchMedia('(hover: hover)').matches && !document.querySelector('dialog[open]')) {
      field.current?.focus({ preventScroll: true });
    }
  }, [field]);

  const change = (next: string) => {
    setText(next);
    keepDraft(classId, next);
  };
  const send = () => {
    if (!ready) return;
    room.post(body, replyingTo?.id);
    change('');
    onCancelReply();
    field.current?.focus({ preventScroll: true });
  };
  const stage = (file: File) => {
    void staging.stage(file);
    field.current?.focus({ preventScroll: true });
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp' && !text) {
      event.preventDefault();
      onEditLast();
    } else if (event.key === 'Escape' && replyingTo && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onCancelReply();
    } else if (isSendKey(event)) {
      event.preventDefault();
      send();
    }
  };

  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className={styles.box}>
        {replyingTo && (
          <ReplyingTo
            message={replyingTo}
            persona={view.personas.get(replyingTo.memberId)}
            onCancel={() => {
              onCancelReply();
              field.current?.focus({ preventScroll: true });
            }}
          />
        )}
        {picture && (
          <StagedPicture
            picture={picture}
            problem={problem}
            onDescribe={staging.describe}
            onRetry={staging.uploadAgain}
            onRemove={() => {
              staging.unstage();
              field.current?.focus({ preventScroll: true });
            }}
          />
        )}
        <PictureButton onPick={stage} />
        <textarea
          ref={field}
          className={styles.field}
          rows={1}
          dir="auto"
          placeholder="Type a message..."
          aria-label={`Message to ${label}`}
          aria-invalid={tooLong}
          enterKeyHint="send"
          value={text}
          onChange={(event) => {
            change(event.target.value);
            if (event.target.value.trim()) room.typing();
          }}
          onKeyDown={keyDown}
        />
        <button
          type="submit"
          className={styles.send}
          aria-label="Send"
          title="Send"
          aria-disabled={!ready}
          data-ready={ready || undefined}
        >
          <Icon name="send" />
        </button>
        <p role="alert" className={styles.problem}>
          {picture === null && problem}
        </p>
        {body.length > nearLimit && (
          <p className={tooLong ? styles.problem : `${styles.problem} ${styles.near}`}>
            <span role="alert">{tooLong && errors.MESSAGE_TOO_LONG.message}</span>
            <span className={styles.count}>
              {count.format(body.length)} / {count.format(limits.messageText)}
            </span>
          </p>
        )}
      </div>
    </form>
  );
}
