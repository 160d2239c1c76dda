// One connection's subscription to one class: first the catch-up, then live events.
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

/** How a subscription sends frames. */
export interface Outgoing {
  /** Sends a live frame without waiting. */
  send(frame: EncodedFrame): void;
  /**
   * Sends one catch-up frame, whole or in parts. Resolves when the browser has room for the next one.
   */
  sendMissed(...parts: Buffer[]): Promise<void>;
}

export interface SubscribeRequest {
  rid: number;
  accountId: string;
  /** The last entry of this epoch that the browser holds, or null. */
  held: Position | null;
}

/** A position in the log. The id is null if the log is empty. */
interface Position {
  seq: number;
  id: string | null;
}

/** Bytes of live frames that are buffered during the catch-up. Above it, they are read from the log. */
const maxKeptBytes = 64 * 1024;

export class Subscription implements Subscriber {
  readonly #parts: SubscriptionParts;
  readonly #classId: string;
  readonly #out: Outgoing;
  #ended = false;
  /** Live frames that are buffered during the catch-up; null after the `live` frame. */
  #kept: { frame: EncodedFrame; to: number }[] | null = [];
  #keptBytes = 0;
  /** The last seq of the live frames that were dropped, or 0. */
  #droppedTo = 0;

  constructor(parts: SubscriptionParts, classId: string, out: Outgoing) {
    this.#parts = parts;
    this.#classId = classId;
    this.#out = out;
  }

  /**
   * Joins the room before it reads the log and buffers live frames meanwhile, so that no event is lost
   * in between. Buffered frames that the read already contains are dropped by their seq.
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

  /** @returns the browser's position in the log afterwards, unless the subscription ended */
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

  /** Notifies the other members of the class that this member is typing. */
  typing(): void {
    this.#parts.hub.typing(this.#classId, this);
  }

  /** Ends the subscription. No more frames of the class are sent. */
  end(): void {
    this.#ended = true;
    this.#kept = [];
    this.#parts.hub.unsubscribe(this.#classId, this);
  }
}
