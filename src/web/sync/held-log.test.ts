import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogItem } from '#contract/socket.ts';
import { applyEvents, fromSnapshot, prependOlder, type HeldLog } from './held-log.ts';

const member = (n: number) => `member${n}`.padEnd(16, '-');
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

/** A class's whole log: each number says what happened and by whom. */
const histories = fc.array(fc.tuple(fc.constantFrom('posted', 'persona'), fc.nat(4)), {
  maxLength: 40,
});

function itemsOf(history: readonly (readonly [string, number])[]): LogItem[] {
  return history.map(([kind, who], i): LogItem => {
    const seq = i + 1;
    if (kind === 'persona') {
      const persona = { memberId: member(who), anonymousName: `name ${seq}`, icon: `icon ${seq}` };
      return { kind: 'persona', seq, persona };
    }
    const message = {
      id: id(seq),
      seq,
      memberId: member(who),
      text: `text ${seq}`,
      createdAt: seq,
    };
    return { kind: 'posted', seq, message };
  });
}

/** What the server would answer when the log has come this far. */
function snapshotAt(items: readonly LogItem[], seq: number): HeldLog {
  const past = items.slice(0, seq);
  return fromSnapshot({
    type: 'snapshot',
    rid: 1,
    classId: 'class'.padEnd(16, '-'),
    epoch: 'epoch',
    seq,
    messages: past.flatMap((item) => (item.kind === 'posted' ? [item.message] : [])),
    personas: [
      ...new Map(
        past.flatMap((item) =>
          item.kind === 'persona' ? [[item.persona.memberId, item.persona] as const] : [],
        ),
      ).values(),
    ],
    hasOlder: false,
    me: { memberId: member(0) },
  });
}

const events = (items: readonly LogItem[], from: number, to: number) => ({
  type: 'events' as const,
  classId: 'class'.padEnd(16, '-'),
  from,
  to,
  items: items.slice(from - 1, to),
});

describe('what a browser holds of a log', () => {
  test('is the same from a snapshot at k and the events after it as from one at the end [LOG-6, LOG-8]', () => {
    fc.assert(
      fc.property(
        histories,
        fc.nat(40),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (history, at, steps) => {
          const items = itemsOf(history);
          let held = snapshotAt(items, Math.min(at, items.length));
          while (held.seq < items.length) {
            // Frames may repeat what is held already, as after a reconnect.
            const from = Math.max(1, held.seq + 1 - (steps.next().value ?? 0) + 1);
            const to = Math.min(items.length, held.seq + (steps.next().value ?? 1));
            const next = applyEvents(held, events(items, from, to));
            if (next === 'hole') throw new Error('There was none.');
            held = next;
          }
          expect(held).toEqual(snapshotAt(items, items.length));
        },
      ),
    );
  });

  test('stays as it is for what it has, and says so when something is missing [LOG-8]', () => {
    fc.assert(
      fc.property(histories, fc.nat(40), fc.nat(40), fc.nat(40), (history, at, first, length) => {
        const items = itemsOf(history);
        const held = snapshotAt(items, Math.min(at, items.length));
        const from = first + 1;
        const to = Math.min(items.length, from + length);
        if (from > to) return;
        const next = applyEvents(held, events(items, from, to));
        if (to <= held.seq) expect(next).toBe(held);
        else if (from > held.seq + 1) expect(next).toBe('hole');
        else expect(next).toEqual(snapshotAt(items, to));
      }),
    );
  });

  test('grows backwards by pages, without doubles [CHAT-9, CHAT-12]', () => {
    const items = itemsOf(Array.from({ length: 9 }, () => ['posted', 1] as const));
    const all = snapshotAt(items, 9);
    const recent = { ...all, messages: all.messages.slice(6), hasOlder: true };
    const page = (from: number, to: number) => ({
      messages: all.messages.slice(from, to),
      personas: [],
    });
    const more = prependOlder(recent, page(2, 7), 5);
    expect(more.messages).toEqual(all.messages.slice(2));
    expect(more.hasOlder).toBe(true);
    expect(prependOlder(more, page(0, 2), 5)).toEqual(all);
  });
});
