import { useEffect, useRef, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import type { RoomView } from '#web/sync/room.ts';
import { messageSummary } from './messages/message-summary.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';

/**
 * A line for screen readers. It is removed after it was read, so that browsing the page does not find it
 * again.
 */
interface Line {
  key: string;
  text: string;
}

const staysMs = 10_000;
const maxAnnounced = 3;

/** Announces each new message of other members once, politely. */
export function Announcer({ view }: { view: RoomView }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const heard = useRef<number | null>(null);
  useEffect(() => {
    if (view.state !== 'ready') return;
    const since = heard.current;
    heard.current = view.messages.reduce((max, { seq }) => Math.max(max, seq ?? 0), since ?? 0);
    // The messages that a room opens with are not new.
    if (since === null || heard.current <= since) return;
    const fresh = toLines(view, since);
    if (fresh.length > 0) setLines((old) => [...old, ...fresh]);
  }, [view]);
  useEffect(() => {
    if (lines.length === 0) return;
    const timer = setTimeout(() => setLines([]), staysMs);
    return () => clearTimeout(timer);
  }, [lines]);
  return (
    <VisuallyHidden>
      <span role="log" aria-label="New messages">
        {lines.map(({ key, text }) => (
          <span key={key}>{text} </span>
        ))}
      </span>
    </VisuallyHidden>
  );
}

/** If many messages arrive together, for example after a reconnect, only their number is announced. */
function toLines({ messages, personas, me }: RoomView, since: number): Line[] {
  const fresh = messages.filter(
    ({ seq, memberId }) => seq !== null && seq > since && memberId !== me,
  );
  if (fresh.length > maxAnnounced) {
    return [{ key: fresh[0]?.id ?? '', text: `${fresh.length} new messages` }];
  }
  return fresh.map((message) => {
    const name = personas.get(message.memberId)?.anonymousName ?? defaultName;
    return { key: message.id, text: `${name}: ${messageSummary(message)}` };
  });
}
