import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { errors } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { isBlank } from '#contract/text.ts';
import { errorMessage } from '#web/api.ts';
import { forgetEdit, keepEdit, readEdit } from '#web/data/drafts.ts';
import { Button } from '#web/ui/button.tsx';
import { fitHeight, isSendKey } from '../composer/text-area.ts';
import styles from './message-editor.module.css';

interface Props {
  classId: string;
  /** The id of the message. */
  id: string;
  text: string;
  /** The message has a picture, so its text may be empty. */
  mayBeBlank: boolean;
  /** Rejects with an AppError if the text was not saved. */
  onSave: (text: string) => Promise<void>;
  /** Called after a save or a cancel. */
  onDone: () => void;
}

/** Edits a message in place. An unsaved edit is kept as a draft. */
export function MessageEditor(props: Props) {
  const { classId, id, text: before, mayBeBlank, onSave, onDone: close } = props;
  const [text, setText] = useState(() => readEdit(id) ?? before);
  const [saving, setSaving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => fitHeight(field.current, text), [text]);
  useEffect(() => {
    const element = field.current;
    element?.focus({ preventScroll: true });
    element?.setSelectionRange(element.value.length, element.value.length);
    // The browser's own focus scrolling moves the list even if the form is fully visible.
    element?.form?.scrollIntoView({ block: 'nearest' });
  }, []);

  const change = (next: string) => {
    setText(next);
    keepEdit(classId, id, next);
  };
  const onDone = () => {
    forgetEdit(id);
    close();
  };
  const save = async () => {
    const body = text.trim();
    if (saving) return;
    if (body === before) return onDone();
    if (isBlank(body) && !mayBeBlank) return setProblem(errors.MESSAGE_EMPTY.message);
    if (body.length > limits.messageText) return setProblem(errors.MESSAGE_TOO_LONG.message);
    setProblem(null);
    setSaving(true);
    try {
      await onSave(body);
      onDone();
    } catch (error) {
      setProblem(errorMessage(error));
      setSaving(false);
    }
  };
  const keyDown = (event: KeyboardEvent) => {
    // The list must not handle keys that belong to the text field.
    event.stopPropagation();
    if (event.key === 'Escape' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      onDone();
    } else if (isSendKey(event)) {
      event.preventDefault();
      void save();
    }
  };

  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <textarea
        ref={field}
        className={styles.field}
        rows={1}
        dir="auto"
        aria-label="Edit your message"
        aria-invalid={problem !== null}
        aria-busy={saving}
        readOnly={saving}
        enterKeyHint="done"
        value={text}
        onChange={(event) => change(event.target.value)}
        onKeyDown={keyDown}
      />
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.foot}>
        <span className={styles.hint}>Enter saves, Esc cancels</span>
        <Button variant="plain" onClick={onDone}>
          Cancel
        </Button>
        <Button variant="plain" type="submit" aria-disabled={saving}>
          {saving ? 'Saving…' : 'Save'}
        </Button>
      </div>
    </form>
  );
}
