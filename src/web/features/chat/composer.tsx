import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { Icon } from '#web/ui/icon.tsx';
import { keepDraft, readDraft } from '#web/data/drafts.ts';
import styles from './composer.module.css';

interface Props {
  classId: string;
  label: string;
  onSend: (text: string) => void;
  onType: () => void;
}

const count = new Intl.NumberFormat('en');
const nearLimit = limits.messageText - 200;

export function Composer({ classId, label, onSend, onType }: Props) {
  const [text, setText] = useState(() => readDraft(classId));
  const field = useRef<HTMLTextAreaElement>(null);
  const body = text.trim();
  const tooLong = body.length > limits.messageText;

  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    // An empty field keeps its one row, however long its placeholder is.
    if (text) element.style.height = `${element.scrollHeight}px`;
  }, [text]);
  useEffect(() => {
    // Where a keyboard is at hand; on a phone it would cover the room.
    if (matchMedia('(hover: hover)').matches && !document.querySelector('dialog[open]')) {
      field.current?.focus({ preventScroll: true });
    }
  }, []);

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
    // 229: some browsers report the key that ends a composition without isComposing.
    const composing = event.nativeEvent.isComposing || event.keyCode === 229;
    if (event.key !== 'Enter' || event.shiftKey || composing) return;
    event.preventDefault();
    send();
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
