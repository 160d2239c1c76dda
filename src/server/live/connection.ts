// One WebSocket connection of a browser: validates, handles and replies to each frame.
import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { isTemporary } from '#contract/temporary-errors.ts';
import { AppError, errors } from '#contract/errors.ts';
import { closeCodes } from '#contract/socket-address.ts';
import { limits } from '#contract/limits.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import type { Account } from '#server/http/caller.ts';
import { isEnrolled } from '#server/chat/members/memberships.ts';
import { getMember, type Actor } from '#server/chat/members/member.ts';
import { deleteMessage, editMessage, postMessage, react } from '#server/chat/messages/messages.ts';
import { choose } from '#server/chat/polls/polls.ts';
import { markAnswer, markDone, vote } from '#server/chat/questions/questions.ts';
import { delayedGroup } from '#server/chat/votes/votes.ts';
import { rateOfFrame } from '#server/base/rates.ts';
import { retryTime } from '#server/base/retry-time.ts';
import { toAppError } from '#server/store/storage-errors.ts';
import type { Change } from '#server/store/changes.ts';
import { encodeFrame, parseFrame, type EncodedFrame } from './frames.ts';
import type { Connection, OwnVote } from './hub.ts';
import { LightSubscription } from './light-subscription.ts';
import type { LiveServer } from './live-server.ts';
import { ReadingPace } from './reading-pace.ts';
import { SocketOutput } from './socket-output.ts';
import { Subscription } from './subscription.ts';

type SubscribeFrame = ClientFrame & { type: 'subscribe' };

/**
 * The maximum length of the queue of subscriptions. They are queued, because the server must receive the browser's pongs during a
 * catch-up.
 */
const maxQueuedSubscriptions = 2 * limits.classesPerSocket;
/** What members send while they only read. */
const openToMaintenance: ReadonlySet<ClientFrame['type']> = new Set([
  'subscribe',
  'unsubscribe',
  'read',
  'typing',
  'viewing',
]);
/** After a shutdown, browsers reconnect spread over this time. */
const shutdownSpreadMs = 10_000; // WIRE-9

export class SocketConnection implements Connection {
  readonly accountId: string;
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly #email: string;
  readonly #server: LiveServer;
  readonly #output: SocketOutput;
  readonly #pace: ReadingPace;
  readonly #subscriptions = new Map<string, Subscription | LightSubscription>();
  /**
   * The last queued subscription. Subscriptions catch up one after the other, so that the backlogs of many
   * classes are not in memory together.
   */
  #lastSubscription: Promise<unknown> | null = null;
  #queuedSubscriptions = 0;
  /** The class that the browser has in view, or null. */
  #viewedClassId: string | null = null;
  /** If true, the connection ignores received frames, commits none that still wait, and sends none. */
  #hasEnded = false;

  /**
   * Takes over the socket and sends the welcome frame.
   *
   * @param stream the connection below the socket
   */
  constructor(socket: WebSocket, stream: Duplex, account: Account, server: LiveServer) {
    this.accountId = account.id;
    this.sessionId = account.sessionId;
    this.#email = account.email;
    this.expiresAt = account.expiresAt.getTime();
    this.#server = server;
    this.#output = new SocketOutput(socket, stream, () => {
      this.#close(closeCodes.tooSlow, 'too slow');
    });
    this.#pace = new ReadingPace(
      socket,
      () => server.limiter.reserve('frames', account.id),
      () => {
        this.#end();
        socket.terminate();
      },
    );
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('ping', () => this.#countReceived());
    socket.on('pong', () => this.#countReceived());
    socket.on('error', (error) => server.log.warn('socket.failed', { error }));
    socket.on('close', () => this.#end());
    server.hub.connect(this);
    const announcements = server.announcements.current(null);
    this.#send({
      type: 'welcome',
      epoch: server.epoch,
      account: server.keys.deriveAccountKey(account.id),
      maxFrameBytes: limits.frameBytes,
      serverTime: Date.now(),
      ...(announcements && { announcements }),
    });
  }

  getViewedClass(): string | null {
    const isOpen =
      this.#viewedClassId !== null && this.#findFullSubscription(this.#viewedClassId) !== null;
    return isOpen ? this.#viewedClassId : null;
  }

  notifyEnrollment(classId: string, hasJoined: boolean): void {
    if (!hasJoined && this.#subscriptions.has(classId)) {
      this.#unsubscribe(classId);
      this.#send({ type: 'reset', classId, reason: 'left' });
    }
    this.#send({ type: 'enrolment', classId, joined: hasJoined });
  }

  notifyClassDeleted(classId: string): void {
    if (!this.#subscriptions.has(classId)) return;
    this.#unsubscribe(classId);
    this.#send({ type: 'reset', classId, reason: 'deleted' });
  }

  async endLeftSubscriptions(): Promise<void> {
    try {
      for (const classId of [...this.#subscriptions.keys()]) {
        if (await isEnrolled(this.#server, this.accountId, classId)) continue;
        this.notifyEnrollment(classId, false);
      }
    } catch (error) {
      this.#logUnexpected(error);
    }
  }

  async recheckMember(classId: string): Promise<void> {
    const subscription = this.#subscriptions.get(classId);
    if (!subscription) return;
    try {
      const member = await getMember(this.#server, this.accountId, classId);
      for (const frame of subscription.setMember(member)) this.#send(frame);
    } catch (error) {
      const { sanction } = toAppError(error);
      if (!sanction) return this.#logUnexpected(error);
      this.#send({ type: 'sanction', classId, sanction });
      this.#unsubscribe(classId);
      this.#send({ type: 'reset', classId, reason: 'removed' });
    }
  }

  notifyModerationChanged(): void {
    this.#send({ type: 'moderationChanged' });
  }

  notifyRead(classId: string, seq: number, mayMoveBack: boolean): void {
    this.#subscriptions.get(classId)?.setRead(seq, mayMoveBack);
  }

  notifyPreferences(classId: string, frame: EncodedFrame): void {
    if (this.#hasEnded) return;
    const subscription = this.#subscriptions.get(classId);
    if (subscription instanceof LightSubscription) subscription.recount();
    this.#output.send(frame);
  }

  notifyVoted(frame: EncodedFrame): void {
    if (!this.#hasEnded) this.#output.send(frame);
  }

  notifyAnnouncements(frame: EncodedFrame): void {
    if (!this.#hasEnded) this.#output.send(frame);
  }

  signOut(): void {
    this.#end();
    this.#output.abort(closeCodes.signedOut, 'signed out');
  }

  shutDown(): void {
    const retryAfterMs = Math.round(Math.random() * shutdownSpreadMs);
    this.#send({ type: 'bye', code: closeCodes.shutdown, retryAfterMs });
    this.#close(closeCodes.shutdown, 'shutting down');
  }

  #close(code: number, reason: string): void {
    this.#end();
    this.#output.close(code, reason);
  }

  #countReceived(): void {
    if (!this.#hasEnded) this.#pace.countReceived();
  }

  #receive(data: RawData, isBinary: boolean): void {
    this.#countReceived();
    if (this.#hasEnded) return;
    const text = isBinary ? '' : String(data);
    const result = parseFrame(text);
    if (result.isValid) void this.#handle(result.frame, Buffer.byteLength(text));
    else if (result.rid === null) this.#close(closeCodes.badFrame, errors.INVALID.message);
    else this.#reject(result.rid, new AppError('INVALID'));
  }

  async #handle(frame: ClientFrame, bytes: number): Promise<void> {
    const isCounted = frame.type !== 'subscribe';
    if (isCounted) this.#pace.countUnanswered();
    try {
      this.#takeFromLimits(frame, bytes);
      if (!openToMaintenance.has(frame.type) && this.#server.announcements.isMaintenance()) {
        throw new AppError('MAINTENANCE', undefined, retryTime(Infinity));
      }
      await this.#dispatch(frame);
    } catch (error) {
      if ('rid' in frame) this.#reject(frame.rid, error);
      else this.#logUnexpected(error);
    }
    if (isCounted) this.#pace.countAnswered();
  }

  /** @throws {AppError} TOO_MANY */
  #takeFromLimits({ type }: ClientFrame, bytes: number): void {
    const { limiter } = this.#server;
    const rate = rateOfFrame[type];
    if (rate) limiter.take(rate, this.accountId);
    // The whole frame counts, because the descriptions of its pictures can be longer than its text.
    if (type === 'post' || type === 'edit') {
      limiter.take('textKilobytes', this.accountId, bytes / 1000);
    }
  }

  async #dispatch(frame: ClientFrame): Promise<void> {
    const { classId } = frame;
    const actor: Actor = { accountId: this.accountId, classId };
    switch (frame.type) {
      case 'subscribe':
        return this.#enqueueSubscription(frame);
      case 'unsubscribe':
        return this.#unsubscribe(classId);
      case 'post':
        return this.#post(frame, actor);
      case 'edit':
        return this.#commitAndAck(frame, (unitOfWork) =>
          editMessage(unitOfWork, actor, frame.messageId, frame.text),
        );
      case 'delete':
        return this.#delete(frame.rid, actor, frame.messageId);
      case 'react':
        return this.#commitAndAck(frame, (unitOfWork) =>
          react(unitOfWork, actor, frame.messageId, frame.emoji, frame.icon),
        );
      case 'vote':
      case 'choose':
        return this.#vote(frame, actor);
      case 'answer':
        return this.#commitAndAck(frame, (unitOfWork) =>
          markAnswer(unitOfWork, { ...actor, email: this.#email }, frame),
        );
      case 'done':
        return this.#commitAndAck(frame, (unitOfWork) =>
          markDone(unitOfWork, { ...actor, email: this.#email }, frame),
        );
      case 'read':
        return this.#markRead(classId, frame.seq, frame.back === true);
      case 'typing':
        return this.#findFullSubscription(classId)?.notifyTyping(this.accountId);
      case 'viewing':
        return this.#setViewing(classId, frame.inView);
    }
  }

  #markRead(classId: string, seq: number, mayMoveBack: boolean): void {
    const position = this.#subscriptions.get(classId)?.markRead(seq, mayMoveBack) ?? null;
    if (position === null) return;
    this.#server.hub.notifyRead(this, classId, position, mayMoveBack);
    if (!mayMoveBack) this.#server.notifier.onRead(this.accountId, classId, position);
  }

  #setViewing(classId: string, inView: boolean): void {
    if (!inView) return this.#endView(classId);
    if (!this.#findFullSubscription(classId)) return;
    if (this.#viewedClassId !== null && this.#viewedClassId !== classId) {
      this.#endView(this.#viewedClassId);
    }
    this.#viewedClassId = classId;
    this.#server.notifier.onViewed(this.accountId, classId);
  }

  #endView(classId: string): void {
    if (this.#viewedClassId !== classId) return;
    this.#viewedClassId = null;
    this.#server.notifier.onViewEnded(this.accountId, classId);
  }

  #findFullSubscription(classId: string): Subscription | null {
    const subscription = this.#subscriptions.get(classId);
    return subscription instanceof Subscription ? subscription : null;
  }

  /** Commits the change, then sends the ack. */
  async #commitAndAck(
    { rid, classId }: { rid: number; classId: string },
    change: Change<number>,
  ): Promise<void> {
    this.#send({ type: 'ack', rid, seq: await this.#commit(classId, change) });
  }

  /**
   * Commits the change, unless the connection has ended before the commit runs. The browser gets no answer then, and sends what it
   * still wants again. A newer change may already have reached another node.
   */
  #commit<Result>(classId: string, change: Change<Result>, group?: string): Promise<Result> {
    return this.#server.commits.write(
      (unitOfWork) => {
        if (this.#hasEnded) throw new AppError('UNAVAILABLE');
        return change(unitOfWork);
      },
      { classId },
      group,
    );
  }

  async #post(frame: Extract<ClientFrame, { type: 'post' }>, actor: Actor): Promise<void> {
    const { rid, classId } = frame;
    const result = await this.#commit(classId, (unitOfWork) =>
      postMessage(unitOfWork, actor, frame),
    );
    this.#send({ type: 'ack', rid, ...result });
  }

  /** Votes for a question or in a poll. */
  async #vote(
    frame: Extract<ClientFrame, { type: 'vote' | 'choose' }>,
    actor: Actor,
  ): Promise<void> {
    const { rid, classId, messageId } = frame;
    const seq = await this.#commit(
      classId,
      (unitOfWork) =>
        frame.type === 'vote'
          ? vote(unitOfWork, actor, messageId, frame.voted)
          : choose(unitOfWork, actor, messageId, frame.choices),
      delayedGroup,
    );
    const ownVote: OwnVote =
      frame.type === 'vote'
        ? { type: 'voted', classId, messageId, voted: frame.voted }
        : { type: 'chosen', classId, messageId, choices: frame.choices };
    this.#server.hub.notifyVoted(this.accountId, ownVote);
    this.#send({ type: 'ack', rid, seq });
  }

  async #delete(rid: number, actor: Actor, messageId: string): Promise<void> {
    const { seq, imageIds } = await this.#commit(actor.classId, (unitOfWork) =>
      deleteMessage(unitOfWork, actor, messageId),
    );
    const isImageLeft = !(await this.#server.images.delete(actor.classId, imageIds));
    this.#send({ type: 'ack', rid, seq, ...(isImageLeft ? { imageLeft: true } : {}) });
  }

  async #enqueueSubscription(frame: SubscribeFrame): Promise<void> {
    if (this.#queuedSubscriptions >= maxQueuedSubscriptions) throw new AppError('TOO_MANY');
    const previousSubscription = this.#lastSubscription;
    const subscription = previousSubscription
      ? previousSubscription.catch(() => {}).then(() => this.#subscribe(frame))
      : this.#subscribe(frame);
    this.#lastSubscription = subscription;
    this.#queuedSubscriptions += 1;
    try {
      await subscription;
    } finally {
      this.#queuedSubscriptions -= 1;
      if (this.#lastSubscription === subscription) this.#lastSubscription = null;
    }
  }

  async #subscribe(frame: SubscribeFrame): Promise<void> {
    if (this.#hasEnded) return;
    const { rid, classId, after, afterId = null } = frame;
    this.#unsubscribe(classId);
    const subscriptions = this.#subscriptions;
    if (subscriptions.size >= limits.classesPerSocket) throw new AppError('TOO_MANY_SUBSCRIPTIONS');
    const isSameHistory = frame.epoch === this.#server.epoch && after !== undefined;
    const position = isSameHistory ? { seq: after, id: afterId } : null;
    const SubscriptionKind = frame.light ? LightSubscription : Subscription;
    const subscription = new SubscriptionKind(this.#server, classId, this.#output);
    subscriptions.set(classId, subscription);
    try {
      await subscription.start({ rid, accountId: this.accountId, position });
    } catch (error) {
      if (subscriptions.get(classId) === subscription) subscriptions.delete(classId);
      throw error;
    }
  }

  #unsubscribe(classId: string): void {
    this.#subscriptions.get(classId)?.end();
    this.#subscriptions.delete(classId);
    this.#endView(classId);
  }

  #reject(rid: number, error: unknown): void {
    this.#logUnexpected(error);
    if (this.#hasEnded) return;
    const { code, message, reason, values, retryAfterMs, sanction } = toAppError(error);
    this.#server.metrics.countRejection(code);
    const retry = isTemporary(code) && { retryAfterMs: retryAfterMs ?? retryTime(0) };
    const details = {
      ...(reason && { reason }),
      ...(values && { values }),
      ...(sanction && { sanction }),
    };
    this.#send({ type: 'nack', rid, code, message, ...retry, ...details });
  }

  #logUnexpected(error: unknown): void {
    if (!(error instanceof AppError)) this.#server.log.error('socket.failed', { error });
  }

  #send(frame: ServerFrame): void {
    if (!this.#hasEnded) this.#output.send(encodeFrame(frame));
  }

  #end(): void {
    this.#hasEnded = true;
    this.#server.hub.disconnect(this);
    for (const classId of [...this.#subscriptions.keys()]) this.#unsubscribe(classId);
  }
}
