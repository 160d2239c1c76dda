import { expect, test } from 'vitest';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { addArrivals } from './use-list-scroll.ts';

/** A view of which the browser holds the messages from `first` to `last`. Each tenth one is the viewer's own. */
function createView(first: number, last: number): RoomView {
  const newest = Array.from({ length: last - first + 1 }, (_, n) => {
    const seq = first + n;
    return { id: `${seq}`, seq, memberId: seq % 10 === 0 ? 'ada' : 'ben' } as RoomMessage;
  });
  const preferences = { ignored: new Set(['cem']), hidden: new Set<string>(), muted: false };
  return { newest, me: 'ada', staff: null, preferences } as unknown as RoomView;
}

test('each message that arrives while the list is scrolled up counts, also when the browser has forgotten it [CHAT-8]', () => {
  let arrivals = addArrivals(null, createView(1, 50));

  for (let last = 51; last <= 450; last++) {
    arrivals = addArrivals(arrivals, createView(last - 49, last));
  }

  expect(arrivals).toMatchObject({ count: 360, isComplete: true });
  expect(addArrivals(arrivals, createView(401, 450))).toBe(arrivals);
});

test('the number says that there can be more if the browser has not received all messages [CHAT-8]', () => {
  const arrivals = addArrivals(null, createView(1, 50));

  expect(addArrivals(arrivals, createView(201, 250))).toMatchObject({
    count: 45,
    isComplete: false,
  });
});
