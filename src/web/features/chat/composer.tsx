import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { Icon } from '#web/ui/icon.tsx';
import { keepDraft, readDraft } from '#web/data/drafts.ts';
import { fitHeight } from './fit-height.ts';
import { isSendKey } from './is-send-key.ts';
import styles from './composer.module.css';

interface Props {
  classId: string;
  label: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: (text: string) => void;
  onType: () => void;
  /** The last message of mine is to be changed. */
  onEditLast: () => void;
}

const count = new Intl.NumberFormat('en');
const nearLimit = limits.messageText - 200;

export function Composer({ classId, label, field, onSend, onType, onEditLast }: Props) {
  const [text, setText] = useState(() => readDraft(classId));
  const body = text.trim();
  const tooLong = body.length > limits.messageText;

  useLayoutEffect(() => fitHeight(field.current, text), [field, text]);
  useEffect(() => {
    // Where a keyboard is at hand; on a phone it would cover the room.
    if (matchMedia('(hover: hover)').matches && !document.querySelector('dialog[open]')) {
      field.current?.focus({ preventScroll: true });
    }
  }, [field]);

  const change = (next: string) => {
    setText(next);
    keepDraft(classId, next);
  };
  const send = () => {
    if (!body || tooLong) return;
    onSend(body);
    change('');
    field.current?.focus({ preventScroll: true });
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowUp' && !text) {
      event.preventDefault();
      onEditLast();
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
            if (event.target.value.trim()) onType();
          }}
          onKeyDown={keyDown}
        />
        <button
          type="submit"
          className={styles.send}
          aria-label="Send"
          title="Send"
          aria-disabled={!body || tooLong}
          data-ready={(body && !tooLong) || undefined}
        >
          <Icon name="send" />
        </button>
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
