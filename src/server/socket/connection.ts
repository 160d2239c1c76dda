// One socket from its welcome to its end: each frame is checked, acted on and answered.
import type { WebSocket } from 'ws';
import { errors, Refusal } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import { closeCodes, subprotocol } from '#contract/socket-address.ts';
import { clientFrame, type ClientFrame, type ServerFrame } from '#contract/socket.ts';
import type { Account } from '../accounts/accounts.ts';
import { postMessage } from '../domain/messages.ts';
import type { Log } from '../log.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import { encode, type Connection } from './hub.ts';
import { startSubscription, type Subscription, type SubscriptionParts } from './subscription.ts';

export interface ConnectionParts extends SubscriptionParts {
  commits: CommitQueue;
  log: Log;
}

/** Past this many bytes unsent the browser is too slow: it comes back and resumes from the log. */
const mostBufferedBytes = 1024 * 1024;
/** Shutting down, clients come back spread over this time. */
const shutdownSpreadMs = 10_000;

/** Takes the socket over; returns when it is set up. */
export function openConnection(socket: WebSocket, account: Account, parts: ConnectionParts): void {
  const { hub, commits, epoch, personaKey, log } = parts;
  const subscriptions = new Map<string, Subscription>();

  const send = (frame: ServerFrame) => sendText(encode(frame));
  function sendText(text: string): void {
    if (socket.readyState !== socket.OPEN) return;
    socket.send(text);
    if (socket.bufferedAmount > mostBufferedBytes) {
      socket.close(closeCodes.tooSlow, 'too slow');
      socket.terminate();
    }
  }

  const connection: Connection = {
    accountId: account.id,
    sessionId: account.sessionId,
    enrolment(classId, joined) {
      if (!joined && subscriptions.has(classId)) {
        unsubscribe(classId);
        send({ type: 'reset', classId, reason: 'left' });
      }
      send({ type: 'enrolment', classId, joined });
    },
    signOut: () => socket.close(closeCodes.signedOut, 'signed out'),
    shutDown() {
      const retryAfterMs = Math.round(Math.random() * shutdownSpreadMs);
      send({ type: 'bye', code: closeCodes.shutdown, retryAfterMs });
      socket.close(closeCodes.shutdown, 'shutting down');
    },
  };

  function unsubscribe(classId: string): void {
    subscriptions.get(classId)?.end();
    subscriptions.delete(classId);
  }

  async function subscribe(frame: ClientFrame & { type: 'subscribe' }): Promise<void> {
    const { rid, classId } = frame;
    unsubscribe(classId);
    if (subscriptions.size >= limits.classesPerSocket) throw new Refusal('TOO_MANY_SUBSCRIPTIONS');
    const held = frame.epoch === parts.epoch ? (frame.after ?? null) : null;
    const request = { rid, classId, accountId: account.id, held };
    const subscription = startSubscription(parts, request, sendText);
    subscriptions.set(classId, subscription);
    try {
      await subscription.started;
    } catch (error) {
      if (subscriptions.get(classId) === subscription) subscriptions.delete(classId);
      throw error;
    }
  }

  async function post({ rid, classId, id, text }: ClientFrame & { type: 'post' }): Promise<void> {
    const { seq } = await commits.write((write) =>
      postMessage(write, personaKey, { accountId: account.id, classId, id, text }),
    );
    send({ type: 'ack', rid, seq });
  }

  async function act(frame: ClientFrame): Promise<void> {
    switch (frame.type) {
      case 'subscribe':
        return subscribe(frame);
      case 'unsubscribe':
        return unsubscribe(frame.classId);
      case 'post':
        return post(frame);
    }
  }

  function refuse(rid: number, error: unknown): void {
    const known = error instanceof Refusal;
    if (!known) log.error('socket.failed', { error });
    const { code, message } = known ? error : new Refusal('INTERNAL');
    send({ type: 'nack', rid, code, message });
  }

  socket.on('message', (data, isBinary) => {
    const frame = isBinary ? null : parseFrame(String(data));
    if (!frame?.success) {
      const rid = frame?.rid;
      if (rid === undefined) return socket.close(closeCodes.badFrame, errors.INVALID.message);
      return refuse(rid, new Refusal('INVALID'));
    }
    act(frame.data).catch((error: unknown) => {
      if ('rid' in frame.data) refuse(frame.data.rid, error);
    });
  });
  socket.on('error', (error) => log.warn('socket.failed', { error }));
  socket.on('close', () => {
    hub.disconnect(connection);
    for (const classId of [...subscriptions.keys()]) unsubscribe(classId);
  });

  hub.connect(connection);
  send({ type: 'welcome', epoch, maxFrameBytes: limits.frameBytes });
}

type Parsed =
  | { success: true; data: ClientFrame }
  /** `rid` where the frame had one that can be answered. */
  | { success: false; rid?: number };

function parseFrame(text: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { success: false };
  }
  const frame = clientFrame.safeParse(value);
  if (frame.success) return { success: true, data: frame.data };
  const rid = (value as { rid?: unknown } | null)?.rid;
  return Number.isSafeInteger(rid) ? { success: false, rid: rid as number } : { success: false };
}

/** The subprotocol that both sides speak, or false to refuse the socket. */
export function chooseSubprotocol(offered: Set<string>): string | false {
  return offered.has(subprotocol) ? subprotocol : false;
}
