// One connection's stream of one class: first what it missed, then what happens.
import { catchUp } from '../domain/catch-up.ts';
import { memberOf } from '../domain/membership.ts';
import type { Reader } from '../storage/database.ts';
import { encode, type Hub, type Subscriber } from './hub.ts';

export interface Subscription {
  /** Rejects when the stream could not be started; it has then ended itself. */
  started: Promise<void>;
  /** Nothing of the class is sent from here on. */
  end(): void;
}

export interface SubscriptionParts {
  hub: Hub;
  db: Reader;
  epoch: string;
  personaKey: Buffer;
}

interface Request {
  rid: number;
  classId: string;
  accountId: string;
  /** The last seq that the browser holds of this epoch, or null. */
  held: number | null;
}

/**
 * Joins the room before it reads, and keeps what is committed meanwhile, so that nothing falls
 * between the read and the live stream; what the read has already is dropped by its seq.
 */
export function startSubscription(
  { hub, db, epoch, personaKey }: SubscriptionParts,
  { rid, classId, accountId, held }: Request,
  sendText: (frame: string) => void,
): Subscription {
  let ended = false;
  let meanwhile: { frame: string; to: number }[] | null = [];
  const send = (frame: string) => {
    if (!ended) sendText(frame);
  };
  const subscriber: Subscriber = {
    receive(frame, to) {
      if (meanwhile) meanwhile.push({ frame, to });
      else send(frame);
    },
  };
  function end(): void {
    ended = true;
    hub.unsubscribe(classId, subscriber);
  }

  async function start(): Promise<void> {
    const { memberId } = await memberOf(db, personaKey, accountId, classId);
    const missed = await catchUp(db, classId, held);
    const seq = missed.kind === 'snapshot' ? missed.seq : missed.to;
    if (missed.kind === 'snapshot') {
      const { messages, personas, hasOlder } = missed;
      const me = { memberId };
      const room = { classId, epoch, seq, messages, personas, hasOlder, me };
      send(encode({ type: 'snapshot', rid, ...room }));
    } else if (missed.items.length > 0) {
      const { from, to, items } = missed;
      send(encode({ type: 'events', classId, from, to, items }));
    }
    send(encode({ type: 'live', rid, classId, seq }));
    for (const { frame, to } of meanwhile ?? []) if (to > seq) send(frame);
    meanwhile = null;
  }

  hub.subscribe(classId, subscriber);
  const started = start().catch((error: unknown) => {
    end();
    throw error;
  });
  return { started, end };
}
