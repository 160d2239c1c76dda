import { useState } from 'react';
import {
  clearDraft,
  clearEdit,
  findEdit,
  loadDraft,
  saveDraft,
  toPrivateDraft,
} from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useCopyText } from '#web/ui/copy-text.ts';
import { useStore } from '#web/use-store.ts';
import { LocalPicture } from '../pictures/local-picture.tsx';
import styles from './unsent-draft.module.css';

interface Props {
  classId: string;
  room: Room;
  /** The id of the message with an unsaved edit. */
  editedId: string | null;
}

/** The draft from before the class ended or became read-only. The member can only copy or discard it. */
export function UnsentDraft({ classId, room, editedId }: Props) {
  const copy = useCopyText();
  const { staging } = room;
  const { pictures } = useStore(staging);
  const [typedTexts, setTypedTexts] = useState(() => [
    loadDraft(classId),
    loadDraft(toPrivateDraft(classId)),
    (editedId !== null && findEdit(editedId)?.text) || '',
  ]);
  const all = [...typedTexts, ...pictures.map(({ alt }) => alt)].filter(
    (text) => text.trim() !== '',
  );
  const texts = [...new Set(all)];
  if (texts.length === 0 && pictures.length === 0) return null;

  const discard = () => {
    saveDraft(classId, '');
    clearDraft(toPrivateDraft(classId));
    if (editedId !== null) clearEdit(editedId);
    staging.removeAll();
    setTypedTexts([]);
  };
  return (
    <section className={`card stack-s ${styles.draft}`} aria-label={getText('chat.draft.label')}>
      <p className="meta">{getText('chat.draft.title')}</p>
      {pictures.length > 0 && (
        <div className="wrap">
          {pictures.map(({ id, bytes, size }) => (
            <div key={id} className={styles.tile}>
              <LocalPicture bytes={bytes} size={size} />
            </div>
          ))}
        </div>
      )}
      {texts.length > 0 && (
        <div
          className={`stack-s typed ${styles.texts}`}
          role="group"
          aria-label={getText('chat.draft.text')}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
          tabIndex={0}
        >
          {texts.map((text) => (
            <p key={text} dir="auto">
              {text}
            </p>
          ))}
        </div>
      )}
      <div className={`row ${styles.ways}`}>
        {texts.length > 0 && (
          <Button variant="plain" onClick={() => void copy(texts.join('\n\n'))}>
            {getText('common.copy')}
          </Button>
        )}
        <Button variant="plain" onClick={discard}>
          {getText('chat.draft.discard')}
        </Button>
      </div>
    </section>
  );
}
