import { getText } from '#web/get-text.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { formatMoment } from '#web/format.ts';
import { slim } from '#web/ui/breakpoints.ts';
import { useMediaQuery } from '#web/ui/use-media-query.ts';
import type { ChatState } from './chat-state.ts';
import { useMayLoseUnsent } from './use-may-lose-unsent.ts';
import styles from './chat.module.css';

/** The sentences that say why messages are missing or are not sent. On a phone, one sentence is visible and opens the others. */
export function ConnectionNotice({ view, state }: { view: RoomView; state: ChatState }) {
  const isPhone = useMediaQuery(slim);
  const { offline, blocked, closed } = state;
  const isWaiting = view.messages.some(({ delivery }) => delivery === 'sending');
  const mayLoseUnsent = useMayLoseUnsent((offline || blocked) && isWaiting);
  const sentences = [
    offline &&
      (closed ? getText('chat.connection.offlineClosed') : getText('chat.connection.offline')),
    view.keptAt !== null &&
      getText('chat.connection.keptAt', { moment: formatMoment(view.keptAt) }),
    offline && view.state === 'loading' && getText('chat.connection.noneKept'),
    blocked &&
      (closed ? getText('chat.connection.blockedClosed') : getText('chat.connection.blocked')),
    blocked && getText('chat.connection.blockedHint'),
    mayLoseUnsent && getText('chat.connection.mayLose'),
  ].filter((sentence) => sentence !== false);
  const [first, ...others] = sentences;
  const paragraphs = (shown: readonly string[]) =>
    shown.map((sentence) => <p key={sentence}>{sentence}</p>);
  if (!isPhone || others.length === 0) {
    return first && <div className={styles.offline}>{paragraphs(sentences)}</div>;
  }
  return (
    <details className={styles.offline}>
      <summary>{first}</summary>
      {paragraphs(others)}
    </details>
  );
}
