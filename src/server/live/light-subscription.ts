// A subscription to a class that is not on screen: it sends the unread count, then the changes of the count.
import { isDeepStrictEqual } from 'node:util';
import type { Sanction } from '#contract/entities.ts';
import type { ServerFrame } from '#contract/socket.ts';
import type { Actor, Member } from '#server/chat/members/member.ts';
import { countUnreadIn } from '#server/chat/messages/unread-counts.ts';
import type { Activity, ActivityReader } from './activity.ts';
import { encodeFrame } from './frames.ts';
import type { ActivityFollower } from './hub.ts';
import type { LiveServer } from './live-server.ts';
import type { SocketOutput } from './socket-output.ts';

export class LightSubscription implements ActivityFollower {
  readonly #server: LiveServer;
  readonly #classId: string;
  readonly #output: SocketOutput;
  #hasEnded = false;
  /** The member, the head and the position for which the browser has the count; null before the browser has it. */
  #countedMember: (ActivityReader & { seq: number; readSeq: number }) | null = null;
  /** The seq up to which the browser knows of messages. */
  #sentSeq = 0;
  #reader: Actor | null = null;
  #sanction: Sanction | null = null;
  /** Whether something has changed since the count began. */
  #isStale = false;

  constructor(server: LiveServer, classId: string, output: SocketOutput) {
    this.#server = server;
    this.#classId = classId;
    this.#output = output;
  }

  /**
   * Follows the class, then counts. It counts again if something has changed in the meantime, so that later frames fit to the
   * count.
   *
   * @throws {AppError} NOT_FOUND
   */
  async start(request: { rid: number; accountId: string }): Promise<void> {
    const classId = this.#classId;
    const followed = this.#server.hub.follow(classId, this);
    try {
      await followed;
      let memberCounts = await this.#count(request.accountId);
      while (this.#isStale && !this.#hasEnded) memberCounts = await this.#count(request.accountId);
      if (this.#hasEnded) return;
      const { sanction, preferences, ...rest } = memberCounts;
      const { memberId, staffId, ignored, mutedTopics, seq, ...counts } = rest;
      const { readSeq } = counts;
      this.#countedMember = { memberId, staffId, ignored, mutedTopics, seq, readSeq };
      this.#sentSeq = seq;
      this.#reader = { classId, accountId: request.accountId };
      this.#sanction = sanction;
      const { rid } = request;
      if (preferences.version > 0) {
        this.#output.send(encodeFrame({ type: 'preferences', classId, ...preferences }));
      }
      this.#output.send(encodeFrame({ type: 'unread', rid, classId, seq, ...counts }));
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #count(accountId: string) {
    this.#isStale = false;
    const actor = { accountId, classId: this.#classId };
    return countUnreadIn(this.#server, actor, (_, head) =>
      this.#server.readMarks.open(actor, head),
    );
  }

  /**
   * @returns the frame about the sanction, if it changed. The browser learns of its role of staff when it opens the class.
   */
  setMember({ persona: { memberId }, sanction, staff }: Member): ServerFrame[] {
    // The next count checks the membership again.
    if (!this.#countedMember) this.#isStale = true;
    else {
      const staffId = staff?.persona.memberId ?? null;
      this.#countedMember = { ...this.#countedMember, memberId, staffId };
    }
    const isChanged = !isDeepStrictEqual(sanction, this.#sanction);
    this.#sanction = sanction;
    return isChanged ? [{ type: 'sanction', classId: this.#classId, sanction }] : [];
  }

  receiveActivity(activity: Activity): void {
    const countedMember = this.#countedMember;
    if (!countedMember) {
      this.#isStale = true;
      return;
    }
    if (activity.to <= countedMember.seq) return;
    this.#sentSeq = activity.to;
    const isPartlyCounted = activity.from <= countedMember.seq;
    const frame = activity.createFrame(countedMember, isPartlyCounted);
    if (frame) this.#output.send(frame);
  }

  /**
   * Saves that the member has read everything that the browser knows of. Only an open class marks messages as unread.
   *
   * @returns the new position, or null if it did not change
   */
  markRead(seq: number, mayMoveBack: boolean): number | null {
    const countedMember = this.#countedMember;
    if (mayMoveBack) return null;
    const position = Math.min(seq, this.#sentSeq);
    if (!countedMember || !this.#reader || position <= countedMember.readSeq) return null;
    this.#countedMember = { ...countedMember, readSeq: position };
    this.#server.readMarks.save(this.#reader, position, false);
    return position;
  }

  /** Takes over the position of another device, where the member has read or marked messages as unread. */
  setRead(seq: number, mayMoveBack: boolean): void {
    const countedMember = this.#countedMember;
    if (!countedMember) {
      this.#isStale = true;
      return;
    }
    if (!mayMoveBack && seq <= countedMember.readSeq) return;
    this.#countedMember = { ...countedMember, readSeq: seq };
    this.#output.send(encodeFrame({ type: 'read', classId: this.#classId, seq }));
  }

  /** Counts again if the browser does not have the count yet. If it has, the browser itself asks for another count. */
  recount(): void {
    if (!this.#countedMember) this.#isStale = true;
  }

  /** Ends the subscription. No more frames of the class are sent. */
  end(): void {
    this.#hasEnded = true;
    this.#server.hub.unfollow(this.#classId, this);
  }
}
