// One connection's stream of one class: first what it missed, then what happens.
import type { KeyObject } from 'node:crypto';
import type { ServerFrame } from '#contract/socket.ts';
import { replay, type Replay } from '../domain/catch-up.ts';
import { memberOf } from '../domain/membership.ts';
import type { ReadMarks } from '../domain/read-marks.ts';
import type { Reader } from '../storage/database.ts';
import { encodeFrame, encodeSnapshot, type EncodedFrame } from './encode-frame.ts';
import type { Hub, Subscriber } from './hub.ts';
import type { Rooms } from './rooms.ts';

export interface SubscriptionParts {
  hub: Hub;
  rooms: Rooms;
  db: Reader;
  epoch: string;
  personaKey: KeyObject;
  readMarks: ReadMarks;
}

/** How frames leave. */
export interface Outgoing {
  /** A live frame: it is not waited for. */
  send(frame: EncodedFrame): void;
  /** Frames of what was missed, whole or in parts: resolves when the socket has taken them. */
  sendMissed(...parts: Buffer[]): Promise<void>;
  /** The browser does not keep up with the room while it is still catching up. */
  fellBehind(): void;
}

export interface SubscribeRequest {
  rid: number;
  accountId: string;
  /** The last entry that the browser holds of this epoch, or null. */
  held: { seq: number; id: string | null } | null;
}

const mostWaitingFrames = 2000;
/** Characters of one frame of missed events, above which the next one begins. */
const missedFrameLength = 128 * 1024;

export class Subscription implements Subscriber {
  readonly #parts: SubscriptionParts;
  readonly #classId: string;
  readonly #out: Outgoing;
  #ended = false;
  /** What was committed while the missed is read and sent; null from `live` on. */
  #meanwhile: { frame: EncodedFrame; to: number }[] | null = [];

  constructor(parts: SubscriptionParts, classId: string, out: Outgoing) {
    this.#parts = parts;
    this.#classId = classId;
    this.#out = out;
  }

  /**
   * Joins the room before it reads, and keeps what is committed meanwhile, so that nothing falls
   * between the read and the live stream; what the read has already is dropped by its seq.
   *
   * @throws {Refusal} NOT_FOUND
   */
  async start(request: SubscribeRequest): Promise<void> {
    this.#parts.hub.subscribe(this.#classId, this);
    try {
      const head = await this.#catchUp(request);
      if (this.#ended) return;
      for (const { frame, to } of this.#meanwhile ?? []) if (to > head) this.#out.send(frame);
      this.#meanwhile = null;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** @returns the head of the log that the browser then is at, unless the subscription ended */
  async #catchUp({ rid, accountId, held }: SubscribeRequest): Promise<number> {
    const { db, epoch, personaKey, readMarks, rooms } = this.#parts;
    const classId = this.#classId;
    const { persona, readSeq, head } = await memberOf(db, personaKey, accountId, classId);
    const missed = held && (await replay(db, classId, held, head));
    const live = encodeFrame({ type: 'live', rid, classId, seq: head });
    if (!missed) {
      const noted = readMarks.readSeqOf(classId, persona.memberId);
      const me = { ...persona, readSeq: Math.max(readSeq, noted) };
      const room = await rooms.at(classId, head);
      const snapshot = encodeSnapshot({ type: 'snapshot', rid, epoch, me }, room);
      if (!this.#ended) await this.#out.sendMissed(...snapshot, live);
      return head;
    }
    for (const frame of eventsFrames(classId, missed)) {
      if (this.#ended) return head;
      await this.#out.sendMissed(encodeFrame(frame));
    }
    if (!this.#ended) this.#out.send(live);
    return head;
  }

  receive(frame: EncodedFrame, to: number): void {
    if (!this.#meanwhile) return this.#out.send(frame);
    this.#meanwhile.push({ frame, to });
    if (this.#meanwhile.length > mostWaitingFrames) this.#out.fellBehind();
  }

  hint(frame: EncodedFrame): void {
    if (!this.#meanwhile) this.#out.send(frame);
  }

  /** Says to the others of the class that somebody is typing. */
  typing(): void {
    this.#parts.hub.typing(this.#classId, this);
  }

  /** Nothing of the class is sent from here on. */
  end(): void {
    this.#ended = true;
    this.#parts.hub.unsubscribe(this.#classId, this);
  }
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
