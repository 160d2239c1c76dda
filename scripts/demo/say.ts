import { randomInt, randomUUID } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import type { LiveEnd } from '../student.ts';

/** A student in one of the demo's classes. */
export interface Seat {
  live: LiveEnd;
  classId: string;
}

/** What people react with, the likeliest most often. */
const emojis: readonly Emoji[] = ['👍', '👍', '👍', '❤️', '❤️', '💩'];

let lastRid = 0;
let lastSeat = 0;

/** Somebody in the class says it, now and then the one who spoke last; now and then others react. */
export async function say(seats: readonly Seat[], text: string): Promise<void> {
  if (randomInt(4) > 0) lastSeat = randomInt(seats.length);
  const seat = seats[lastSeat % seats.length];
  if (!seat) return;
  const messageId = randomUUID();
  await send(seat, { type: 'post', id: messageId, text });
  if (randomInt(3) > 0) return;
  const others = seats.filter((one) => one !== seat).slice(0, randomInt(1, 5));
  for (const other of others) {
    await send(other, {
      type: 'react',
      messageId,
      emoji: emojis[randomInt(emojis.length)] ?? '👍',
    });
  }
}

async function send(
  { live, classId }: Seat,
  frame:
    { type: 'post'; id: string; text: string } | { type: 'react'; messageId: string; emoji: Emoji },
): Promise<void> {
  const rid = ++lastRid;
  live.send({ rid, classId, ...frame });
  await live.answer(rid);
}
