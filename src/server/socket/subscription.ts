// One connection's stream of one class: first what it missed, then what happens.
import type { KeyObject } from 'node:crypto';
import type { ServerFrame } from '#contract/socket.ts';
import { replay, type Replay } from '../domain/catch-up.ts';
import { memberOf } from '../domain/membership.ts';
import type { Reader } from '../storage/database.ts';
import { encodeFrame, encodeSnapshot, type EncodedFrame } from './encode-frame.ts';
import type { Hub, Subscriber } from './hub.ts';
import type { Rooms } from './rooms.ts';

export interface Subscription {
  /** Says to the others of the class that somebody is typing. */
  typing(): void;
  /** Nothing of the class is sent from here on. */
  end(): void;
}

export interface SubscriptionParts {
  hub: Hub;
  rooms: Rooms;
  db: Reader;
  epoch: string;
  personaKey: KeyObject;
}

/** How frames leave. */
export interface Outgoing {
  /** A live frame: it is not waited for. */
  send(frame: EncodedFrame): void;
  /** Frames of what was missed: resolves when the socket has taken them. */
  sendMissed(...frames: EncodedFrame[]): Promise<void>;
  /** The browser does not keep up with the room while it is still catching up. */
  fellBehind(): void;
}

interface Request {
  rid: number;
  classId: string;
  accountId: string;
  /** The last entry that the browser holds of this epoch, or null. */
  held: { seq: number; id: string | null } | null;
}

const mostWaitingFrames = 2000;
/** Characters of one frame of missed events, above which the next one begins. */
const missedFrameLength = 128 * 1024;

/**
 * Joins the room before it reads, and keeps what is committed meanwhile, so that nothing falls
 * between the read and the live stream; what the read has already is dropped by its seq.
 *
 * @returns the subscription at once, so that it can be ended at any time, and when it has started
 */
export function startSubscription(
  { hub, rooms, db, epoch, personaKey }: SubscriptionParts,
  { rid, classId, accountId, held }: Request,
  out: Outgoing,
): { subscription: Subscription; started: Promise<void> } {
  let ended = false;
  let meanwhile: { frame: EncodedFrame; to: number }[] | null = [];

  const subscriber: Subscriber = {
    receive(frame, to) {
      if (!meanwhile) return out.send(frame);
      meanwhile.push({ frame, to });
      if (meanwhile.length > mostWaitingFrames) out.fellBehind();
    },
    hint(frame) {
      if (!meanwhile) out.send(frame);
    },
  };
  const subscription: Subscription = {
    typing: () => hub.typing(classId, subscriber),
    end() {
      ended = true;
      hub.unsubscribe(classId, subscriber);
    },
  };

  async function start(): Promise<void> {
    const { persona, readSeq, head } = await memberOf(db, personaKey, accountId, classId);
    const missed = held && (await replay(db, classId, held, head));
    const live = encodeFrame({ type: 'live', rid, classId, seq: head });
    if (missed) {
      for (const frame of eventsFrames(classId, missed)) {
        if (ended) return;
        await out.sendMissed(encodeFrame(frame));
      }
      if (ended) return;
      out.send(live);
    } else {
      const me = { memberId: persona.memberId, readSeq };
      const room = await rooms.at(classId, head);
      if (ended) return;
      await out.sendMissed(encodeSnapshot({ type: 'snapshot', rid, epoch, me }, room), live);
      if (ended) return;
    }
    for (const { frame, to } of meanwhile ?? []) if (to > head) out.send(frame);
    meanwhile = null;
  }

  hub.subscribe(classId, subscriber);
  const started = start().catch((error: unknown) => {
    subscription.end();
    throw error;
  });
  return { subscription, started };
}

/** What was missed, cut into frames that follow on each other. */
function eventsFrames(classId: string, { from, to, lastId, items }: Replay): ServerFrame[] {
  if (from > to) return [];
  const frames: ServerFrame[] = [];
  let start = from;
  let part: Replay['items'] = [];
  let length = 0;
  for (const item of items) {
    part.push(item);
    length += 'message' in item ? item.message.text.length + 300 : 200;
    if (length < missedFrameLength) continue;
    const { seq, id } = item;
    frames.push({ type: 'events', classId, from: start, to: seq, lastId: id, items: part });
    [start, part, length] = [seq + 1, [], 0];
  }
  if (start <= to) frames.push({ type: 'events', classId, from: start, to, lastId, items: part });
  return frames;
}
