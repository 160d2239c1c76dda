import { randomInt, randomUUID } from 'node:crypto';
import type { Emoji } from '#contract/emojis.ts';
import type { CallReply } from '#contract/http.ts';
import { routeUrl } from '#contract/route-url.ts';
import type { LiveEnd, Student } from '../student.ts';
import type { Saying } from './classes.ts';
import { takePicture } from './pictures.ts';

/** One student in one of the demo's classes. */
export interface Seat {
  student: Student;
  live: LiveEnd;
  classId: string;
}

/** The emojis to react with. More frequent ones are more likely. */
const emojis: readonly Emoji[] = ['👍', '👍', '👍', '❤️', '❤️', '💩'];

let lastRid = 0;
let lastSeat = 0;

/** A random member posts the message, sometimes the same one as before. Other members sometimes react. */
export async function say(seats: readonly Seat[], saying: Saying): Promise<void> {
  if (randomInt(4) > 0) lastSeat = randomInt(seats.length);
  const seat = seats[lastSeat % seats.length];
  if (!seat) return;
  const messageId = randomUUID();
  await send(seat, { type: 'post', id: messageId, ...(await contentOf(seat, saying)) });
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

async function contentOf({ student, classId }: Seat, saying: Saying) {
  if (typeof saying === 'string') return { text: saying };
  const { picture, alt, text } = saying;
  const answer = await student.fetch(routeUrl('uploadImage', { params: { classId } }), {
    method: 'POST',
    body: new Uint8Array(await takePicture(picture)),
    headers: { 'content-type': 'application/octet-stream' },
  });
  const { imageId } = (await answer.json()) as CallReply<'uploadImage'>;
  return { text, alt, imageId };
}

async function send(
  { live, classId }: Seat,
  frame:
    | { type: 'post'; id: string; text: string; alt?: string; imageId?: string }
    | { type: 'react'; messageId: string; emoji: Emoji },
): Promise<void> {
  const rid = ++lastRid;
  live.send({ rid, classId, ...frame });
  await live.answer(rid);
}
