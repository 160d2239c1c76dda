import { useRef } from 'react';
import type { CallReply } from '#contract/http.ts';
import { getShownName } from '#contract/persona-name.ts';
import { moderationTexts } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import styles from './class-settings.module.css';

interface Props {
  pins: readonly string[];
  classSettings: CallReply<'readClassSettings'>;
  onChange: (pins: string[]) => void;
}

/** The pinned messages, which a moderator can move and unpin. They are pinned in the room. */
export function PinsField({ pins, classSettings, onChange }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const personas = new Map(classSettings.personas.map((persona) => [persona.memberId, persona]));
  const messages = pins.flatMap((pin) => classSettings.messages.find(({ id }) => id === pin) ?? []);
  const move = (from: number, to: number) => {
    const ids = messages.map(({ id }) => id);
    const [movedId] = ids.splice(from, 1);
    if (movedId !== undefined) onChange(ids.toSpliced(to, 0, movedId));
  };
  const unpin = (id: string) => {
    onChange(pins.filter((pin) => pin !== id));
    // The focused button disappears.
    list.current?.focus();
  };
  return (
    <fieldset className={styles.pins}>
      <legend>{getText('classSettings.pins.title')}</legend>
      {messages.length === 0 ? (
        <p className="meta">{getText('classSettings.pins.empty')}</p>
      ) : (
        <ul ref={list} tabIndex={-1} aria-label={getText('classSettings.pins.label')}>
          {messages.map(({ id, memberId, text, images, moderation }, n) => (
            <li key={id} className={styles.pin}>
              <p className={styles.pinText}>
                <bdi className="strong" translate="no">
                  {getShownName(personas, memberId)}
                </bdi>{' '}
                <bdi>
                  {moderation === 'hidden'
                    ? moderationTexts.hidden
                    : toPlainText(text, personas) ||
                      (images.length > 0 ? getText('format.picture') : '')}
                </bdi>
              </p>
              <span className={styles.pinTools}>
                <IconButton
                  icon="send"
                  label={getText('classSettings.pins.moveUp', { place: n + 1 })}
                  aria-disabled={n === 0}
                  onClick={() => {
                    if (n > 0) move(n, n - 1);
                  }}
                />
                <IconButton
                  icon="down"
                  label={getText('classSettings.pins.moveDown', { place: n + 1 })}
                  aria-disabled={n === messages.length - 1}
                  onClick={() => {
                    if (n < messages.length - 1) move(n, n + 1);
                  }}
                />
                <IconButton
                  icon="close"
                  label={getText('classSettings.pins.unpin', { place: n + 1 })}
                  onClick={() => unpin(id)}
                />
              </span>
            </li>
          ))}
        </ul>
      )}
    </fieldset>
  );
}
