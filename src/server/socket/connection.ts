// One socket from its welcome to its end: each frame is checked, acted on and answered.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { errors, Refusal } from '#contract/errors.ts';
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
  type Writing,
} from '../domain/messages.ts';
import type { Log } from '../log.ts';
import { retryTime } from '../retry-time.ts';
import type { Change, CommitQueue } from '../storage/commit-queue.ts';
import { encodeFrame } from './encode-frame.ts';
import type { Connection } from './hub.ts';
import { parseFrame } from './parse-frame.ts';
import { createSocketOutput } from './socket-output.ts';
import { startSubscription, type Subscription, type SubscriptionParts } from './subscription.ts';

export interface ConnectionParts extends SubscriptionParts {
  commits: CommitQueue;
  /** The account's opaque key, for its own browsers. */
  accountKeyOf(accountId: string): string;
  log: Log;
}

/** Past this many frames without an answer no more are read from the socket. */
const mostUnanswered = 32;
/** Shutting down, clients come back spread over this time. */
const shutdownSpreadMs = 10_000;
const typingAtMostEveryMs = 1000;

/**
 * Takes the socket over; returns when it is set up.
 *
 * @param stream the connection below the socket
 */
export function openConnection(
  socket: WebSocket,
  stream: Duplex,
  account: Account,
  parts: ConnectionParts,
): void {
  const { hub, commits, epoch, personaKey, log } = parts;
  const output = createSocketOutput(socket, stream);
  const send = (frame: ServerFrame) => output.send(encodeFrame(frame));
  const subscriptions = new Map<string, Subscription>();
  /** One after the other: what a browser with many classes missed is never in memory at once. */
  let catchingUp: Promise<unknown> = Promise.resolve();
  let unanswered = 0;
  let typedAt = 0;

  const connection: Connection = {
    accountId: account.id,
    sessionId: account.sessionId,
    expiresAt: account.expiresAt.getTime(),
    enrolment(classId, joined) {
      if (!joined && subscriptions.has(classId)) {
        unsubscribe(classId);
        send({ type: 'reset', classId, reason: 'left' });
      }
      send({ type: 'enrolment', classId, joined });
    },
    signOut: () => output.close(closeCodes.signedOut, 'signed out'),
    shutDown() {
      const retryAfterMs = Math.round(Math.random() * shutdownSpreadMs);
      send({ type: 'bye', code: closeCodes.shutdown, retryAfterMs });
      output.close(closeCodes.shutdown, 'shutting down');
    },
  };

  function unsubscribe(classId: string): void {
    subscriptions.get(classId)?.end();
    subscriptions.delete(classId);
  }

  async function subscribe(frame: ClientFrame & { type: 'subscribe' }): Promise<void> {
    const { rid, classId, after, afterId = null } = frame;
    unsubscribe(classId);
    if (subscriptions.size >= limits.classesPerSocket) throw new Refusal('TOO_MANY_SUBSCRIPTIONS');
    const known = frame.epoch === epoch && after !== undefined;
    const held = known ? { seq: after, id: afterId } : null;
    const request = { rid, classId, accountId: account.id, held };
    const { subscription, started } = startSubscription(parts, request, output);
    subscriptions.set(classId, subscription);
    try {
      await started;
    } catch (error) {
      if (subscriptions.get(classId) === subscription) subscriptions.delete(classId);
      throw error;
    }
  }

  /** Writes, and acknowledges after the commit. */
  async function write(rid: number, change: Change<number>): Promise<void> {
    send({ type: 'ack', rid, seq: await commits.write(change) });
  }

  function typing(classId: string): void {
    const now = Date.now();
    if (now - typedAt < typingAtMostEveryMs) return;
    typedAt = now;
    subscriptions.get(classId)?.typing();
  }

  async function act(frame: ClientFrame): Promise<void> {
    const { classId } = frame;
    const writing: Writing = { personaKey, accountId: account.id, classId };
    switch (frame.type) {
      case 'subscribe':
        return (catchingUp = catchingUp
          .catch(() => {})
          .then(() => subscribe(frame))) as Promise<void>;
      case 'unsubscribe':
        return unsubscribe(classId);
      case 'post':
        return write(frame.rid, (tx) => postMessage(tx, writing, frame));
      case 'edit':
        return write(frame.rid, (tx) => editMessage(tx, writing, frame.messageId, frame.text));
      case 'delete':
        return write(frame.rid, (tx) => deleteMessage(tx, writing, frame.messageId));
      case 'react':
        return write(frame.rid, (tx) => react(tx, writing, frame.messageId, frame.emoji));
      case 'read':
        return commits.write((tx) => read(tx, writing, frame.seq));
      case 'typing':
        return typing(classId);
    }
  }

  function refuse(rid: number, error: unknown): void {
    const known = error instanceof Refusal;
    if (!known) log.error('socket.failed', { error });
    const { code, message, retryAfterMs } = known ? error : new Refusal('INTERNAL');
    const mayRetry = errors[code].retry && { retryAfterMs: retryAfterMs ?? retryTime(0) };
    send({ type: 'nack', rid, code, message, ...mayRetry });
  }

  async function answer(frame: ClientFrame): Promise<void> {
    unanswered += 1;
    if (unanswered === mostUnanswered) socket.pause();
    try {
      await act(frame);
    } catch (error) {
      if ('rid' in frame) refuse(frame.rid, error);
    }
    unanswered -= 1;
    if (unanswered === mostUnanswered - 1) socket.resume();
  }

  socket.on('message', (data, isBinary) => {
    const frame = parseFrame(isBinary ? '' : String(data));
    if (frame.known) void answer(frame.frame);
    else if (frame.rid === null) output.close(closeCodes.badFrame, errors.INVALID.message);
    else refuse(frame.rid, new Refusal('INVALID'));
  });
  socket.on('error', (error) => log.warn('socket.failed', { error }));
  socket.on('close', () => {
    hub.disconnect(connection);
    for (const classId of [...subscriptions.keys()]) unsubscribe(classId);
  });

  hub.connect(connection);
  const accountKey = parts.accountKeyOf(account.id);
  send({ type: 'welcome', epoch, account: accountKey, maxFrameBytes: limits.frameBytes });
}
