import { useState, useSyncExternalStore } from 'react';
import { forgetEdit, keepDraft, readDraft, readEdit } from '#web/data/drafts.ts';
import type { Room } from '#web/sync/room.ts';
import { Button } from '#web/ui/button.tsx';
import { copyText } from '#web/ui/copy-text.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { LocalPicture } from '../pictures/local-picture.tsx';
import styles from './unsent-draft.module.css';

interface Props {
  classId: string;
  room: Room;
  /** The id of the message with an unsaved edit. */
  editedId: string | null;
}

/** The draft from before the class ended. It cannot be sent, so the member can copy it. */
export function UnsentDraft({ classId, room, editedId }: Props) {
  const dialogs = useDialogs();
  const notify = useNotify();
  const { staging } = room;
  const { picture } = useSyncExternalStore(staging.subscribe, staging.getSnapshot);
  const [typed, setTyped] = useState(() => [
    readDraft(classId),
    (editedId !== null && readEdit(editedId)) || '',
  ]);
  const all = [...typed, picture?.alt ?? ''].filter((text) => text.trim() !== '');
  const texts = [...new Set(all)];
  if (texts.length === 0 && picture === null) return null;

  const copy = async () => {
    const text = texts.join('\n\n');
    if (await copyText(text)) notify({ text: 'Copied.' });
    else await dialogs.alert(`Copy the text here:\n\n${text}`);
  };
  const discard = () => {
    keepDraft(classId, '');
    if (editedId !== null) forgetEdit(editedId);
    staging.unstage();
    setTyped([]);
  };
  return (
    <section className={styles.draft} aria-label="Not sent">
      <p className={styles.title}>Not sent:</p>
      {picture && (
        <div className={styles.tile}>
          <LocalPicture bytes={picture.bytes} size={picture.size} />
        </div>
      )}
      {texts.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
        <div className={styles.texts} role="group" aria-label="Text" tabIndex={0}>
          {texts.map((text) => (
            <p key={text} dir="auto">
              {text}
            </p>
          ))}
        </div>
      )}
      <div className={styles.ways}>
        {texts.length > 0 && (
          <Button variant="plain" onClick={() => void copy()}>
            Copy
          </Button>
        )}
        <Button variant="plain" onClick={discard}>
          Discard
        </Button>
      </div>
    </section>
  );
}
