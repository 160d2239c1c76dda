import { useEffect, useRef, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import type { RoomView } from '#web/sync/room.ts';
import { messageSummary } from './messages/message-summary.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';

/** One line that is read out; it stays until it has been, then it would only be met again. */
interface Line {
  key: string;
  text: string;
}

const staysMs = 10_000;
const maxAnnounced = 3;

/** Reads new messages of others out, politely and each once. */
export function Announcer({ view }: { view: RoomView }) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const heard = useRef<number | null>(null);
  useEffect(() => {
    if (view.state !== 'ready') return;
    const since = heard.current;
    heard.current = view.messages.reduce((max, { seq }) => Math.max(max, seq ?? 0), since ?? 0);
    // What a room opens with is not news.
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

/** Many at once, after having been away, are only counted. */
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
