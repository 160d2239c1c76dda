// One connection's stream of one class: first what it missed, then what happens.
import type { KeyObject } from 'node:crypto';
import { replayPages } from '../domain/catch-up.ts';
import { memberOf } from '../domain/membership.ts';
import type { ReadMarks } from '../domain/read-marks.ts';
import type { Database } from '../storage/database.ts';
import { encodeFrame, encodeSnapshot, type EncodedFrame } from './encode-frame.ts';
import type { Hub, Subscriber } from './hub.ts';
import type { Rooms } from './rooms.ts';

export interface SubscriptionParts {
  hub: Hub;
  rooms: Rooms;
  db: Database;
  epoch: string;
  personaKey: KeyObject;
  readMarks: ReadMarks;
}

/** How frames leave. */
export interface Outgoing {
  /** A live frame: it is not waited for. */
  send(frame: EncodedFrame): void;
  /** One frame of what was missed, whole or in parts: resolves when the browser has room for the next. */
  sendMissed(...parts: Buffer[]): Promise<void>;
}

export interface SubscribeRequest {
  rid: number;
  accountId: string;
  /** The last entry that the browser holds of this epoch, or null. */
  held: Position | null;
}

/** A place in the log; the id of an empty log's is null. */
interface Position {
  seq: number;
  id: string | null;
}

/** Live frames that are kept while a browser catches up; past it they are read from the log instead. */
const maxKeptBytes = 64 * 1024;

export class Subscription implements Subscriber {
  readonly #parts: SubscriptionParts;
  readonly #classId: string;
  readonly #out: Outgoing;
  #ended = false;
  /** What was committed while the missed is read and sent; null from `live` on. */
  #kept: { frame: EncodedFrame; to: number }[] | null = [];
  #keptBytes = 0;
  /** The last seq of what was dropped instead of kept; 0 while nothing was. */
  #droppedTo = 0;

  constructor(parts: SubscriptionParts, classId: string, out: Outgoing) {
    this.#parts = parts;
    this.#classId = classId;
    this.#out = out;
  }

  /**
   * Joins the room before it reads, and keeps what is committed meanwhile, so that nothing falls
   * between the read and the live stream; what the read has already is dropped by its seq.
   *
   * @throws {AppError} NOT_FOUND
   */
  async start(request: SubscribeRequest): Promise<void> {
    this.#parts.hub.subscribe(this.#classId, this);
    try {
      let at = await this.#catchUp(request, request.held);
      while (this.#droppedTo > 0 && !this.#ended) {
        this.#kept = [];
        [this.#keptBytes, this.#droppedTo] = [0, 0];
        at = await this.#catchUp(request, at);
      }
      if (this.#ended) return;
      const { rid } = request;
      this.#out.send(encodeFrame({ type: 'live', rid, classId: this.#classId, seq: at.seq }));
      for (const { frame, to } of this.#kept ?? []) if (to > at.seq) this.#out.send(frame);
      this.#kept = null;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** @returns where in the log the browser then is, unless the subscription ended */
  async #catchUp(request: SubscribeRequest, held: Position | null): Promise<Position> {
    const { db, epoch, personaKey, readMarks, rooms } = this.#parts;
    const [classId, { rid, accountId }] = [this.#classId, request];
    const { persona, readSeq, head } = await memberOf(db, personaKey, accountId, classId);
    let at = held;
    for await (const page of held ? replayPages(db, classId, held, head) : [null]) {
      if (this.#ended) break;
      if (!page) {
        const noted = readMarks.readSeqOf(classId, persona.memberId);
        const me = { ...persona, readSeq: Math.max(readSeq, noted) };
        const start = { type: 'snapshot', rid, epoch, me } as const;
        const { room, lastId } = await rooms.at(classId, head);
        if (!this.#ended) await this.#out.sendMissed(...encodeSnapshot(start, room));
        return { seq: head, id: lastId };
      }
      const { from, to, lastId, items } = page;
      at = { seq: to, id: lastId };
      await this.#out.sendMissed(encodeFrame({ type: 'events', classId, from, to, lastId, items }));
    }
    return at ?? { seq: head, id: null };
  }

  receive(frame: EncodedFrame, to: number): void {
    if (!this.#kept) return this.#out.send(frame);
    this.#keptBytes += frame.length;
    if (this.#keptBytes <= maxKeptBytes) this.#kept.push({ frame, to });
    else {
      this.#kept = [];
      this.#droppedTo = to;
    }
  }

  hint(frame: EncodedFrame): void {
    if (!this.#kept) this.#out.send(frame);
  }

  /** Says to the others of the class that somebody is typing. */
  typing(): void {
    this.#parts.hub.typing(this.#classId, this);
  }

  /** Nothing of the class is sent from here on. */
  end(): void {
    this.#ended = true;
    this.#kept = [];
    this.#parts.hub.unsubscribe(this.#classId, this);
  }
}
