// A subscription to a class that is not on screen: the unread count, then what changes it.
import { isDeepStrictEqual } from 'node:util';
import type { Sanction } from '#contract/entities.ts';
import type { ServerFrame } from '#contract/socket.ts';
import type { Member } from '#server/chat/members/member.ts';
import { countUnreadIn } from '#server/chat/messages/unread-counts.ts';
import type { Activity, ActivityReader } from './activity.ts';
import { encodeFrame, encodePersonalFrame, encodePreferences } from './frames.ts';
import type { ActivityFollower } from './hub.ts';
import type { SocketOutput } from './socket-output.ts';
import type { SubscriptionDependencies } from './subscription.ts';

export class LightSubscription implements ActivityFollower {
  readonly #dependencies: SubscriptionDependencies;
  readonly #classId: string;
  readonly #output: SocketOutput;
  #ended = false;
  /** Null until the browser has the count. */
  #counted: (ActivityReader & { seq: number }) | null = null;
  #sanction: Sanction | null = null;
  /** Something happened while the messages were being counted. */
  #isStale = false;

  constructor(dependencies: SubscriptionDependencies, classId: string, output: SocketOutput) {
    this.#dependencies = dependencies;
    this.#classId = classId;
    this.#output = output;
  }

  /**
   * Follows the class before it counts, and counts again if something happened meanwhile, so that the
   * frames after the count change exactly that count.
   *
   * @throws {AppError} NOT_FOUND
   */
  async start(request: { rid: number; accountId: string }): Promise<void> {
    const classId = this.#classId;
    const listening = this.#dependencies.hub.follow(classId, this);
    try {
      await listening;
      let memberCounts = await this.#count(request.accountId);
      while (this.#isStale && !this.#ended) memberCounts = await this.#count(request.accountId);
      if (this.#ended) return;
      const { memberId, staffId, sanction, seq, preferences, ignored, ...counts } = memberCounts;
      this.#counted = { memberId, staffId, ignored, seq };
      this.#sanction = sanction;
      const { rid } = request;
      if (preferences.version > 0) {
        this.#output.send(encodePreferences({ type: 'preferences', classId, ...preferences }));
      }
      this.#output.send(encodePersonalFrame({ type: 'unread', rid, classId, seq, ...counts }));
    } catch (error) {
      this.end();
      throw error;
    }
  }

  #count(accountId: string) {
    this.#isStale = false;
    const { open } = this.#dependencies.readMarks;
    return countUnreadIn(this.#dependencies, { accountId, classId: this.#classId }, open);
  }

  /**
   * @returns the frame about its sanction, if that changed. A subscription of a class that is on screen tells the browser about
   *   its role of staff.
   */
  setMember({ persona: { memberId }, sanction, staff }: Member): ServerFrame[] {
    // The next count checks the membership again.
    if (!this.#counted) this.#isStale = true;
    else {
      const staffId = staff?.persona.memberId ?? null;
      this.#counted = { ...this.#counted, memberId, staffId };
    }
    const isChanged = !isDeepStrictEqual(sanction, this.#sanction);
    this.#sanction = sanction;
    return isChanged ? [{ type: 'sanction', classId: this.#classId, sanction }] : [];
  }

  receiveActivity(activity: Activity): void {
    const countedMember = this.#counted;
    if (!countedMember) {
      this.#isStale = true;
      return;
    }
    if (activity.to <= countedMember.seq) return;
    const isPartlyCounted = activity.from <= countedMember.seq;
    const frame = activity.createFrame(countedMember, isPartlyCounted);
    if (frame) this.#output.send(frame);
  }

  /** The member has read up to this seq on another device, or marked what follows as unread. */
  setRead(seq: number): void {
    if (!this.#counted) this.#isStale = true;
    else this.#output.send(encodeFrame({ type: 'read', classId: this.#classId, seq }));
  }

  /** The preferences changed. If the browser has its count already, it asks for another one itself. */
  recount(): void {
    if (!this.#counted) this.#isStale = true;
  }

  /** Ends the subscription. No more frames of the class are sent. */
  end(): void {
    this.#ended = true;
    this.#dependencies.hub.unfollow(this.#classId, this);
  }
}
