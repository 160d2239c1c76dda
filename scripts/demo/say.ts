import { randomInt, randomUUID } from 'node:crypto';
import type { LiveEnd } from '../student.ts';

/** A student in one of the demo's classes. */
export interface Seat {
  live: LiveEnd;
  classId: string;
}

let lastRid = 0;
let lastSeat = 0;

/** Somebody in the class says it, now and then the one who spoke last. */
export async function say(seats: readonly Seat[], text: string): Promise<void> {
  if (randomInt(4) > 0) lastSeat = randomInt(seats.length);
  const seat = seats[lastSeat % seats.length];
  if (!seat) return;
  const rid = ++lastRid;
  seat.live.send({ type: 'post', rid, classId: seat.classId, id: randomUUID(), text });
  await seat.live.answer(rid);
}
