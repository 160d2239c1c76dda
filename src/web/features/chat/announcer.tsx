import { useEffect, useRef, useState } from 'react';
import type { RoomView } from '#web/sync/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';

/** Reads new messages of others out, politely; it holds nothing but the newest ones. */
export function Announcer({ view }: { view: RoomView }) {
  const [texts, setTexts] = useState<readonly string[]>([]);
  const heard = useRef<number | null>(null);
  useEffect(() => {
    if (view.state !== 'ready') return;
    const newest = view.messages.reduce((max, { seq }) => Math.max(max, seq ?? 0), 0);
    const since = heard.current;
    heard.current = Math.max(since ?? 0, newest);
    if (since === null || newest <= since) return;
    const fresh = view.messages
      .filter(({ seq, memberId }) => seq !== null && seq > since && memberId !== view.me)
      .slice(-3);
    if (fresh.length === 0) return;
    setTexts(
      fresh.map(({ memberId, text }) => {
        const name = view.personas.get(memberId)?.anonymousName ?? 'Anonymous';
        return `${name}: ${text.slice(0, 280)}`;
      }),
    );
  }, [view]);
  useEffect(() => {
    if (texts.length === 0) return;
    // Said once; what stays in the page would be met again by whoever reads through it.
    const timer = setTimeout(() => setTexts([]), 5000);
    return () => clearTimeout(timer);
  }, [texts]);
  return (
    <VisuallyHidden>
      <span aria-live="polite">{texts.join('\n')}</span>
    </VisuallyHidden>
  );
}
