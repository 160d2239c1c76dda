// One connection's stream of one class: first what it missed, then what happens.
import type { ServerFrame } from '#contract/socket.ts';
import { replay, takeSnapshot, type Replay } from '../domain/catch-up.ts';
import { memberOf } from '../domain/membership.ts';
import type { Reader } from '../storage/database.ts';
import { encode, type Hub, type Subscriber } from './hub.ts';

export interface Subscription {
  /** Says to the others of the class that somebody is typing. */
  typing(): void;
  /** Nothing of the class is sent from here on. */
  end(): void;
}

export interface SubscriptionParts {
  hub: Hub;
  db: Reader;
  epoch: string;
  personaKey: Buffer;
}

/** How frames leave. */
export interface Outgoing {
  /** A live frame: it is not waited for. */
  send(frame: string): void;
  /** A frame of what was missed: resolves when the socket has taken it. */
  sendMissed(frame: string): Promise<void>;
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
  { hub, db, epoch, personaKey }: SubscriptionParts,
  { rid, classId, accountId, held }: Request,
  out: Outgoing,
): { subscription: Subscription; started: Promise<void> } {
  let ended = false;
  let meanwhile: { frame: string; to: number }[] | null = [];

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
    const me = { memberId: persona.memberId, readSeq };
    const frames = missed
      ? eventsFrames(classId, missed)
      : [{ type: 'snapshot', rid, classId, epoch, me, ...(await takeSnapshot(db, classId, head)) }];
    for (const frame of frames as ServerFrame[]) {
      if (ended) return;
      await out.sendMissed(encode(frame));
    }
    if (ended) return;
    out.send(encode({ type: 'live', rid, classId, seq: head }));
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
