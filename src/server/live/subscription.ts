// One connection's subscription to one class: first the catch-up, then live events.
import { isDeepStrictEqual } from 'node:util';
import type { Sanction } from '#contract/entities.ts';
import type { ServerFrame } from '#contract/socket.ts';
import { replayPages, type Position } from '#server/chat/messages/catch-up.ts';
import { chooseInitialIcon } from '#server/chat/members/initial-icon.ts';
import {
  getMember,
  toStaffSelf,
  type Actor,
  type Member,
  type StaffMember,
} from '#server/chat/members/member.ts';
import { checkMayWrite, checkNotMuted } from '#server/chat/messages/may-post.ts';
import { encodeFrame, encodeSnapshot, type EncodedFrame } from './frames.ts';
import type { Subscriber } from './hub.ts';
import type { LiveServer } from './live-server.ts';
import type { SocketOutput } from './socket-output.ts';

export interface SubscribeRequest {
  rid: number;
  accountId: string;
  /** The last entry of this epoch that the browser holds, or null. */
  position: Position | null;
}

/**
 * The maximum size of the live frames that are buffered during the catch-up. Above it, the subscription reads them from the log.
 */
const maxBufferedBytes = 64 * 1024;

export class Subscription implements Subscriber {
  readonly #server: LiveServer;
  readonly #classId: string;
  readonly #output: SocketOutput;
  #hasEnded = false;
  /** Live frames that are buffered during the catch-up; null after the `live` frame. */
  #buffer: { frame: EncodedFrame; to: number }[] | null = [];
  #bufferedBytes = 0;
  /** The last seq of the live frames that were dropped, or 0. */
  #droppedTo = 0;
  /** Null until the membership is checked. */
  #reader: Actor | null = null;
  #sanction: Sanction | null = null;
  #staff: StaffMember | null = null;
  /** Whether a sanction or the ids have changed since the catch-up began, so that it must check the membership again. */
  #mustCheckAgain = false;
  #readSeq = 0;
  /** Whether another connection moved the position back while the catch-up read the stored position. */
  #wasMovedBack = false;
  /** Whether the browser may have sent a position before it received the position of another connection. */
  #mayBeOutOfStep = false;
  /** The last seq that was sent to the browser. */
  #sentSeq = 0;

  constructor(server: LiveServer, classId: string, output: SocketOutput) {
    this.#server = server;
    this.#classId = classId;
    this.#output = output;
  }

  /**
   * Joins the room, then reads the log. It buffers live frames while it reads, so that no event is lost in between, and drops
   * buffered frames whose seq the read already contains.
   *
   * @throws {AppError} NOT_FOUND
   */
  async start(request: SubscribeRequest): Promise<void> {
    const subscribing = this.#server.hub.subscribe(this.#classId, this);
    try {
      await subscribing;
      let position = await this.#catchUp(request, request.position);
      while ((this.#droppedTo > 0 || this.#mustCheckAgain) && !this.#hasEnded) {
        this.#buffer = [];
        this.#bufferedBytes = 0;
        this.#droppedTo = 0;
        position = await this.#catchUp(request, position);
      }
      if (this.#hasEnded) return;
      const live = {
        type: 'live',
        rid: request.rid,
        classId: this.#classId,
        seq: position.seq,
      } as const;
      this.#sentSeq = Math.max(this.#sentSeq, position.seq);
      const sanction = this.#sanction && { sanction: this.#sanction };
      const staff = this.#staff && { staff: toStaffSelf(this.#staff) };
      const shownAnnouncements = this.#server.announcements.current(this.#classId);
      const announcements = shownAnnouncements && { announcements: shownAnnouncements };
      const readSeq = this.#readSeq;
      this.#output.send(encodeFrame({ ...live, readSeq, ...sanction, ...staff, ...announcements }));
      for (const { frame, to } of this.#buffer ?? []) {
        if (to > position.seq) this.#output.send(frame);
      }
      this.#buffer = null;
    } catch (error) {
      this.end();
      throw error;
    }
  }

  /** @returns the browser's position in the log after the catch-up, unless the subscription ended */
  async #catchUp(request: SubscribeRequest, position: Position | null): Promise<Position> {
    const { db, epoch, readMarks, preferences, catchUps } = this.#server;
    const classId = this.#classId;
    const { rid, accountId } = request;
    this.#mustCheckAgain = false;
    const member = await getMember(this.#server, accountId, classId);
    const { persona, hasAppeared, head, sanction, staff } = member;
    this.#sanction = sanction;
    this.#staff = staff;
    this.#sentSeq = head;
    this.#reader = { classId, accountId };
    this.#wasMovedBack = false;
    const [readSeq, savedPreferences] = await Promise.all([
      readMarks.open(this.#reader, head),
      preferences.get(this.#reader),
    ]);
    if (!this.#wasMovedBack) this.#readSeq = Math.max(this.#readSeq, readSeq);
    // The preferences are sent before the messages, so that a hidden message never appears for a moment.
    if (savedPreferences.version > 0 && !this.#hasEnded) {
      this.#output.send(encodeFrame({ type: 'preferences', classId, ...savedPreferences }));
    }
    let currentPosition = position;
    const getPage = (lastPosition: Position, upTo: number) =>
      catchUps.getMissedPage(classId, lastPosition, upTo, head);
    for await (const page of position ? replayPages(position, head, getPage) : [null]) {
      if (this.#hasEnded) break;
      if (!page) {
        const { icon, memberId } = persona;
        const me = {
          ...persona,
          icon: hasAppeared ? icon : await chooseInitialIcon(db, classId, memberId),
          readSeq: this.#readSeq,
          hasAppeared,
          ...(sanction && { sanction }),
        };
        const snapshotStart = { type: 'snapshot', rid, epoch, me } as const;
        const { room, lastId } = await catchUps.getSnapshot(classId, head);
        if (!this.#hasEnded) await this.#output.sendCatchUp(...encodeSnapshot(snapshotStart, room));
        return { seq: head, id: lastId };
      }
      currentPosition = { seq: page.to, id: page.lastId };
      if (page.frame) await this.#output.sendCatchUp(page.frame);
    }
    return currentPosition ?? { seq: head, id: null };
  }

  receive(frame: EncodedFrame, to: number): void {
    this.#sentSeq = Math.max(this.#sentSeq, to);
    if (!this.#buffer) return this.#output.send(frame);
    this.#bufferedBytes += frame.length;
    if (this.#bufferedBytes <= maxBufferedBytes) this.#buffer.push({ frame, to });
    else {
      this.#buffer = [];
      this.#droppedTo = to;
    }
  }

  receiveVolatile(frame: EncodedFrame): void {
    if (!this.#buffer) this.#output.send(frame);
  }

  /** @returns the frames about a changed role of staff and a changed sanction */
  setMember({ sanction, staff }: Member): ServerFrame[] {
    if (this.#buffer) this.#mustCheckAgain = true;
    const classId = this.#classId;
    const frames: ServerFrame[] = [];
    const previousStaff = this.#staff && toStaffSelf(this.#staff);
    const currentStaff = staff && toStaffSelf(staff);
    if (!isDeepStrictEqual(currentStaff, previousStaff)) {
      frames.push({ type: 'staff', classId, staff: currentStaff });
    }
    if (!isDeepStrictEqual(sanction, this.#sanction)) {
      frames.push({ type: 'sanction', classId, sanction });
    }
    this.#staff = staff;
    this.#sanction = sanction;
    return frames;
  }

  /**
   * Notifies the other members of the class that this member is typing.
   *
   * @throws {AppError} MUTED, READ_ONLY, or as `getMember`
   */
  async notifyTyping(accountId: string): Promise<void> {
    const member = await getMember(this.#server, accountId, this.#classId);
    checkNotMuted(member);
    checkMayWrite(member);
    if (!this.#hasEnded) this.#server.hub.notifyTyping(this.#classId, this);
  }

  /**
   * Saves how far the member has read. The position only moves forward, unless `mayMoveBack` is true.
   *
   * @returns the new position, or null if it did not change
   */
  markRead(seq: number, mayMoveBack: boolean): number | null {
    if (!this.#reader) return null;
    const requestedSeq = Math.min(seq, this.#sentSeq);
    const position = mayMoveBack ? requestedSeq : Math.max(requestedSeq, this.#readSeq);
    const isChanged = position !== this.#readSeq;
    this.#readSeq = position;
    if (isChanged) this.#server.readMarks.save(this.#reader, position, mayMoveBack);
    if (this.#mayBeOutOfStep) this.#sendRead(position);
    this.#mayBeOutOfStep = false;
    return isChanged ? position : null;
  }

  /** Takes over the position of another device, where the member has read or marked messages as unread. */
  setRead(seq: number, mayMoveBack: boolean): void {
    if (!mayMoveBack && seq <= this.#readSeq) return;
    this.#readSeq = seq;
    if (mayMoveBack) this.#wasMovedBack = true;
    this.#mayBeOutOfStep = true;
    this.#sendRead(seq);
  }

  #sendRead(seq: number): void {
    this.#output.send(encodeFrame({ type: 'read', classId: this.#classId, seq }));
  }

  /** Ends the subscription. No more frames of the class are sent. */
  end(): void {
    this.#hasEnded = true;
    this.#buffer = [];
    this.#server.hub.unsubscribe(this.#classId, this);
  }
}
