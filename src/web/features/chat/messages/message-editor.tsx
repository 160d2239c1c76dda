import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { isBlank } from '#contract/text.ts';
import { toErrorMessage } from '#web/api.ts';
import { clearEdit, saveEdit, findEdit } from '#web/data/drafts.ts';
import { parseMessageText } from '#web/data/mention-draft.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { MentionSuggestions } from '../composer/mention-suggestions.tsx';
import { MessageField } from '../composer/message-field.tsx';
import { useMentionField } from '../composer/use-mention-field.ts';
import styles from './message-editor.module.css';

interface Props {
  classId: string;
  message: RoomMessage;
  room: Room;
  /** The message has a picture, so its text may be empty. */
  mayBeBlank: boolean;
  /** Called after a save or a cancel. */
  onClose: () => void;
}

/** Edits a message in place. An unsaved edit is kept as a draft. */
export function MessageEditor(props: Props) {
  const { classId, message, room, mayBeBlank, onClose } = props;
  const { id, text: originalText } = message;
  const view = room.getSnapshot();
  const notify = useNotify();
  const [isSaving, setIsSaving] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const mentions = useMentionField({
    classId,
    room,
    view,
    field,
    loadInitial: () => findEdit(id) ?? parseMessageText(originalText, view.personas),
    onChange: (draft) => saveEdit(classId, id, draft),
  });
  const { text, messageText: body } = mentions;
  useEffect(() => {
    const element = field.current;
    element?.focus({ preventScroll: true });
    element?.setSelectionRange(element.value.length, element.value.length);
    const form = element?.form;
    if (!form) return;
    // The browser's own focus scrolling moves the list even if the form is fully visible. The list moves its rows
    // later, when it measures the row in which the form has replaced the text.
    const observer = new ResizeObserver(() => form.scrollIntoView({ block: 'nearest' }));
    observer.observe(form);
    return () => observer.disconnect();
  }, []);

  const finish = () => {
    clearEdit(id);
    onClose();
  };
  /** Keeps a changed text: the next edit of the message starts with it. */
  const closeAndKeepDraft = () => (body === originalText ? finish() : onClose());
  const save = async () => {
    if (isSaving) return;
    if (body === originalText) return finish();
    if (isBlank(body) && !mayBeBlank) return setProblem(getText('error.MESSAGE_EMPTY'));
    if (body.length > limits.messageText) return setProblem(getText('error.MESSAGE_TOO_LONG'));
    setProblem(null);
    setIsSaving(true);
    try {
      await room.edit(id, body);
      clearEdit(id);
      // The author may have opened another editor meanwhile, which must stay open.
      if (field.current) onClose();
    } catch (error) {
      if (!field.current) return notify({ text: toErrorMessage(error) });
      setProblem(toErrorMessage(error));
      setIsSaving(false);
    }
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    // The list must not handle keys that belong to the text field.
    event.stopPropagation();
    if (mentions.handleKeyDown(event)) return;
    if (event.key === 'Escape' && !isComposing(event.nativeEvent)) {
      event.preventDefault();
      closeAndKeepDraft();
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
      <MessageField
        {...mentions.fieldProps}
        ref={field}
        className={styles.field}
        aria-label={getText('chat.editor.label')}
        aria-invalid={problem !== null}
        aria-busy={isSaving}
        readOnly={isSaving}
        enterKeyHint="done"
        value={text}
        onChange={mentions.change}
        onSubmit={() => void save()}
        onKeyDown={handleKeyDown}
      />
      <MentionSuggestions suggestions={mentions.suggestions} />
      <p role="alert" className="danger small">
        {problem}
      </p>
      <div className={styles.foot}>
        <span className={styles.hint}>{getText('chat.editor.hint')}</span>
        <Button aria-disabled={isSaving} onClick={finish}>
          {getText('common.cancel')}
        </Button>
        <Button variant="primary" type="submit" aria-disabled={isSaving}>
          {isSaving ? getText('common.saving') : getText('common.save')}
        </Button>
      </div>
    </form>
  );
}
