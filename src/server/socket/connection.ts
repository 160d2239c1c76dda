// One socket from its welcome to its end: each frame is checked, acted on and answered.
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
import { toRefusal } from '../storage/storage-errors.ts';
import { encodeFrame } from './encode-frame.ts';
import type { Connection } from './hub.ts';
import { parseFrame } from './parse-frame.ts';
import { SocketOutput } from './socket-output.ts';
import { Subscription, type SubscriptionParts } from './subscription.ts';

export interface ConnectionParts extends SubscriptionParts {
  commits: CommitQueue;
  images: Pick<Images, 'delete'>;
  /** The account's opaque key, for its own browsers. */
  accountKeyOf(accountId: string): string;
  log: Log;
  limiter: Limiter;
}

type SubscribeFrame = ClientFrame & { type: 'subscribe' };

/** Past this many frames without an answer no more are read from the socket. */
const maxUnanswered = 32;
/** Subscriptions wait in a line of their own: while one is read, the browser's pongs must be heard. */
const maxWaitingSubscriptions = 2 * limits.classesPerSocket;
/** Shutting down, clients come back spread over this time. */
const shutdownSpreadMs = 10_000; // WIRE-9

export class SocketConnection implements Connection {
  readonly accountId: string;
  readonly sessionId: string;
  readonly expiresAt: number;
  readonly #parts: ConnectionParts;
  readonly #socket: WebSocket;
  readonly #output: SocketOutput;
  readonly #subscriptions = new Map<string, Subscription>();
  /** One after the other: what a browser with many classes missed is never in memory at once. */
  #catchingUp: Promise<unknown> | null = null;
  #waitingSubscriptions = 0;
  #unanswered = 0;
  #isHeldUp = false;
  #heldUpUntil = 0;
  /** Nothing is received, read for the browser or sent from here on. */
  #ended = false;
  /** What was received before and is not done yet is not done any more either. */
  #sessionEnded = false;

  /**
   * Takes the socket over and greets.
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

  /** Who sends more than its share is read later: what floods us waits in its own line. LIMIT-25 */
  #inItsTurn(): void {
    const waitMs = this.#parts.limiter.book('frames', this.accountId);
    if (waitMs === 0) return;
    // What came in one packet is heard at once, however much it is: one timer for all of it.
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

  /** Writes, and acknowledges after the commit. */
  async #write(rid: number, change: Change<number>): Promise<void> {
    this.#send({ type: 'ack', rid, seq: await this.#commit(change) });
  }

  /** Checks once more when its turn has come: it may have waited until after the session's end. */
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
    const { code, message, retryAfterMs } = toRefusal(error);
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
