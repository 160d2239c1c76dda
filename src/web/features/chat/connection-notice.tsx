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
    offline && `You are offline.${closed ? '' : ' Messages will be sent when you are back.'}`,
    view.keptAt !== null &&
      `These messages were kept on this device on ${formatMoment(view.keptAt)}.`,
    offline && view.state === 'loading' && 'No messages of this class are kept on this device.',
    blocked &&
      `Live updates are blocked.${closed ? '' : ' Your messages are saved here and will be sent later.'}`,
    blocked &&
      'Try another network. If the problem continues, tell the operator of this server that WebSocket connections fail.',
    mayLoseUnsent && 'This browser may keep unsent messages only for a few days.',
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
