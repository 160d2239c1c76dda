// One socket from its welcome to its end. Each frame is validated, handled and answered.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { errors, AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { closeCodes } from '#contract/socket-address.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import type { Account } from '../accounts/accounts.ts';
import {
  deleteMessage,
  editMessage,
  postMessage,
  react,
  read,
  type Actor,
} from '../domain/messages.ts';
import type { Images } from '../images/images.ts';
import type { Limiter } from '../limits/limiter.ts';
import { rateOfFrame } from '../limits/what-counts.ts';
import type { Log } from '../log.ts';
import { retryTime } from '../retry-time.ts';
import type { Change, CommitQueue } from '../storage/commit-queue.ts';
import { toAppError } from '../storage/storage-errors.ts';
import { encodeFrame } from './encode-frame.ts';
import type { Connection } from './hub.ts';
import { parseFrame } from './parse-frame.ts';
import { SocketOutput } from './socket-output.ts';
import { Subscription, type SubscriptionParts } from './subscription.ts';

export interface ConnectionParts extends SubscriptionParts {
  commits: CommitQueue;
  images: Pick<Images, 'delete'>;
  /** Returns the account's opaque key, which only its own browsers receive. */
  accountKeyOf(accountId: string): string;
  log: Log;
  limiter: Limiter;
}

type SubscribeFrame = ClientFrame & { type: 'subscribe' };

/** With this many unanswered frames, the server stops reading from the socket. */
const maxUnanswered = 32;
/**
 * Subscriptions have a separate queue, because the server must receive the browser's pongs during a
 * catch-up.
 */
const maxWaitingSubscriptions = 2 * limits.classesPerSocket;
/** After a shutdown, browsers reconnect spread over this time. */
const shutdownSpreadMs = 10_000; // WIRE-9

export class SocketConnection implements Connection {
  readonly accountId: string;
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly #parts: ConnectionParts;
  readonly #socket: WebSocket;
  readonly #output: SocketOutput;
  readonly #subscriptions = new Map<string, Subscription>();
  /**
   * Subscriptions catch up one after the other, so that the backlogs of many classes are not in memory
   * together.
   */
  #catchingUp: Promise<unknown> | null = null;
  #waitingSubscriptions = 0;
  #unanswered = 0;
  #isHeldUp = false;
  #heldUpUntil = 0;
  /** No more frames are received, read or sent. */
  #ended = false;
  /** Frames that were received before the session ended are refused if they are not done yet. */
  #sessionEnded = false;

  /**
   * Takes over the socket and sends the welcome frame.
   *
   * @param stream the connection below the socket
   */
  constructor(socket: WebSocket, stream: Duplex, account: Account, parts: ConnectionParts) {
    this.accountId = account.id;
    this.sessionId = account.sessionId;
    this.expiresAt = account.expiresAt.getTime();
    this.#parts = parts;
    this.#socket = socket;
    this.#output = new SocketOutput(socket, stream, () => {
      this.#close(closeCodes.tooSlow, 'too slow');
    });
    socket.on('message', (data, isBinary) => this.#receive(isBinary ? '' : String(data)));
    socket.on('ping', () => this.#inItsTurn());
    socket.on('pong', () => this.#inItsTurn());
    socket.on('error', (error) => parts.log.warn('socket.failed', { error }));
    socket.on('close', () => this.#end());
    parts.hub.connect(this);
    this.#send({
      type: 'welcome',
      epoch: parts.epoch,
      account: parts.accountKeyOf(account.id),
      maxFrameBytes: limits.frameBytes,
    });
  }

  enrolment(classId: string, joined: boolean): void {
    if (!joined && this.#subscriptions.has(classId)) {
      this.#unsubscribe(classId);
      this.#send({ type: 'reset', classId, reason: 'left' });
    }
    this.#send({ type: 'enrolment', classId, joined });
  }

  classDeleted(classId: string): void {
    if (!this.#subscriptions.has(classId)) return;
    this.#unsubscribe(classId);
    this.#send({ type: 'reset', classId, reason: 'deleted' });
  }

  signOut(): void {
    this.#sessionEnded = true;
    this.#end();
    this.#output.cut(closeCodes.signedOut, 'signed out');
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

  /** Delays reading from the socket if the account sends more frames than its limit. LIMIT-25 */
  #inItsTurn(): void {
    const waitMs = this.#parts.limiter.book('frames', this.accountId);
    if (waitMs === 0) return;
    // All frames of one packet arrive together, so one timer covers all of them.
    this.#heldUpUntil = Math.max(this.#heldUpUntil, performance.now() + waitMs);
    if (this.#isHeldUp) return;
    this.#isHeldUp = true;
    this.#socket.pause();
    this.#readOnAfter(waitMs);
  }

  #readOnAfter(waitMs: number): void {
    setTimeout(() => {
      const restMs = this.#heldUpUntil - performance.now();
      if (restMs > 0) return this.#readOnAfter(restMs);
      this.#isHeldUp = false;
      this.#readOn();
    }, waitMs).unref();
  }

  #readOn(): void {
    if (!this.#isHeldUp && this.#unanswered < maxUnanswered) this.#socket.resume();
  }

  #receive(text: string): void {
    this.#inItsTurn();
    if (this.#ended) return;
    const frame = parseFrame(text);
    if (frame.known) void this.#answer(frame.frame);
    else if (frame.rid === null) this.#close(closeCodes.badFrame, errors.INVALID.message);
    else this.#refuse(frame.rid, new AppError('INVALID'));
  }

  async #answer(frame: ClientFrame): Promise<void> {
    const counts = frame.type === 'subscribe' ? 0 : 1;
    this.#unanswered += counts;
    if (counts > 0 && this.#unanswered === maxUnanswered) this.#socket.pause();
    try {
      await this.#act(frame);
    } catch (error) {
      if ('rid' in frame) this.#refuse(frame.rid, error);
      else this.#logUnexpected(error);
    }
    this.#unanswered -= counts;
    if (counts > 0 && this.#unanswered === maxUnanswered - 1) this.#readOn();
  }

  async #act(frame: ClientFrame): Promise<void> {
    const { personaKey } = this.#parts;
    const { classId } = frame;
    const rate = rateOfFrame[frame.type];
    if (rate) this.#parts.limiter.take(rate, this.accountId);
    const writing: Actor = { personaKey, accountId: this.accountId, classId };
    switch (frame.type) {
      case 'subscribe':
        return this.#subscribeInTurn(frame);
      case 'unsubscribe':
        return this.#unsubscribe(classId);
      case 'post':
        return this.#write(frame.rid, (tx) => postMessage(tx, writing, frame));
      case 'edit':
        return this.#write(frame.rid, (tx) => {
          return editMessage(tx, writing, frame.messageId, frame.text);
        });
      case 'delete':
        return this.#delete(frame.rid, writing, frame.messageId);
      case 'react':
        return this.#write(frame.rid, (tx) => react(tx, writing, frame.messageId, frame.emoji));
      case 'read':
        return read(this.#parts, writing, frame.seq);
      case 'typing':
        return this.#subscriptions.get(classId)?.typing();
    }
  }

  /** Commits the change, then sends the ack. */
  async #write(rid: number, change: Change<number>): Promise<void> {
    this.#send({ type: 'ack', rid, seq: await this.#commit(change) });
  }

  /** Checks the session again when the commit runs, because it may have ended in the meantime. */
  #commit<Result>(change: Change<Result>): Promise<Result> {
    return this.#parts.commits.write((tx) => {
      if (this.#sessionEnded) throw new AppError('UNAUTHENTICATED');
      return change(tx);
    });
  }

  async #delete(rid: number, writing: Actor, messageId: string): Promise<void> {
    const { seq, imageId } = await this.#commit((tx) => deleteMessage(tx, writing, messageId));
    const left = imageId !== null && !(await this.#parts.images.delete(imageId));
    this.#send({ type: 'ack', rid, seq, ...(left ? { imageLeft: true } : {}) });
  }

  async #subscribeInTurn(frame: SubscribeFrame): Promise<void> {
    if (this.#waitingSubscriptions >= maxWaitingSubscriptions) throw new AppError('TOO_MANY');
    const before = this.#catchingUp;
    const own = before
      ? before.catch(() => {}).then(() => this.#subscribe(frame))
      : this.#subscribe(frame);
    this.#catchingUp = own;
    this.#waitingSubscriptions += 1;
    try {
      await own;
    } finally {
      this.#waitingSubscriptions -= 1;
      if (this.#catchingUp === own) this.#catchingUp = null;
    }
  }

  async #subscribe(frame: SubscribeFrame): Promise<void> {
    if (this.#ended) return;
    const { rid, classId, after, afterId = null } = frame;
    this.#unsubscribe(classId);
    const subscriptions = this.#subscriptions;
    if (subscriptions.size >= limits.classesPerSocket) throw new AppError('TOO_MANY_SUBSCRIPTIONS');
    const known = frame.epoch === this.#parts.epoch && after !== undefined;
    const held = known ? { seq: after, id: afterId } : null;
    const subscription = new Subscription(this.#parts, classId, this.#output);
    subscriptions.set(classId, subscription);
    try {
      await subscription.start({ rid, accountId: this.accountId, held });
    } catch (error) {
      if (subscriptions.get(classId) === subscription) subscriptions.delete(classId);
      throw error;
    }
  }

  #unsubscribe(classId: string): void {
    this.#subscriptions.get(classId)?.end();
    this.#subscriptions.delete(classId);
  }

  #refuse(rid: number, error: unknown): void {
    this.#logUnexpected(error);
    const { code, message, retryAfterMs } = toAppError(error);
    const mayRetry = errors[code].retry && { retryAfterMs: retryAfterMs ?? retryTime(0) };
    this.#send({ type: 'nack', rid, code, message, ...mayRetry });
  }

  #logUnexpected(error: unknown): void {
    if (!(error instanceof AppError)) this.#parts.log.error('socket.failed', { error });
  }

  #send(frame: ServerFrame): void {
    if (!this.#ended) this.#output.send(encodeFrame(frame));
  }

  #end(): void {
    this.#ended = true;
    this.#parts.hub.disconnect(this);
    for (const classId of [...this.#subscriptions.keys()]) this.#unsubscribe(classId);
  }
}
