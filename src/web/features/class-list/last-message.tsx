import { getShownName } from '#contract/persona-name.ts';
import { countImages } from '#web/format.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import styles from './class-list.module.css';

/** More does not fit into a row. */
const maxLength = 120;

/** The newest message of a class, if this browser holds it and the member did not hide it. */
export function LastMessage({ view }: { view: RoomView }) {
  const { personas, preferences } = view;
  const message = view.newest.at(-1);
  if (!message || !view.isNewestKnown || message.isConcealed) return null;
  if (preferences.ignored.has(message.memberId) || preferences.hidden.has(message.id)) return null;
  const author = personas.get(message.memberId);
  const pdfCount = message.images.filter(({ pages }) => pages !== undefined).length;
  const text =
    toPlainText(message.text, personas).slice(0, maxLength) ||
    countImages({ imageCount: message.images.length, pdfCount });
  return (
    <span className={styles.last}>
      <PersonaIcon seed={author?.icon ?? message.memberId} size={16} />
      <bdi translate="no">{getShownName(personas, message.memberId)}</bdi>: <bdi>{text}</bdi>
    </span>
  );
}
