// Pending requests to the server, identified by `rid`.
import { isTemporary } from '#contract/temporary-errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { limits } from '#contract/limits.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import { getText, wordError } from '#web/get-text.ts';

type RequestFrame = Extract<ClientFrame, { rid: number }>;
type WithoutRid<Frame> = Frame extends unknown ? Omit<Frame, 'rid'> : never;
export type Request = WithoutRid<RequestFrame>;

export type RequestResult =
  /** `waits`: staff must release the question, so the log does not get it. */
  | { kind: 'done'; seq: number; imageLeft?: true | undefined; waits?: true | undefined }
  /** `retryDelayMs`: the delay until a retry may succeed, or null if it never will. */
  | { kind: 'rejected'; error: RejectedError; retryDelayMs: number | null }
  /** The connection ended or there was none. The outcome is unknown. */
  | { kind: 'noResponse' };

export type DoneResult = RequestResult & { kind: 'done' };

const unreachableText = getText('common.unreachable');

/** @throws a RejectedError unless the server has done what was asked */
export function requireDone(result: RequestResult): DoneResult {
  if (result.kind === 'rejected') throw result.error;
  if (result.kind === 'noResponse') throw new RejectedError('UNAVAILABLE', unreachableText);
  return result;
}

export interface Requests {
  send(request: Request): Promise<RequestResult>;
  /** Call for every frame that arrives. */
  receive(frame: ServerFrame): void;
  /** The connection ended. */
  abandonAll(): void;
}

/** If no frame arrives for this long while a response is due, the connection is dead. */
const responseTimeoutMs = 15_000; // WIRE-26
/** The timeout doubles up to this value, because a single frame can take longer on a very slow connection. */
const maxResponseTimeoutMs = 120_000; // WIRE-26
/**
 * After this long without a frame and without a request, a request checks whether the connection is alive.
 */
const idleCheckMs = 60_000; // WIRE-14
const defaultRetryDelayMs = 2000;
/** Caps the server's retry delay, because a member waits for the message. Slow mode has a longer cap of its own. */
const maxRetryDelayMs = 60_000;

export function createRequests(connection: {
  send(frame: ClientFrame): boolean;
  reconnect(): void;
  /** No frame has arrived for a while. */
  onIdle(): void;
}): Requests {
  const pending = new Map<number, { key: string | null; resolve(answer: RequestResult): void }>();
  /** Repeated requests that a timeout interrupted and that have had no response since. */
  const timedOutKeys = new Set<string>();
  let timeoutMs = responseTimeoutMs;
  let lastRid = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function restartTimer(): void {
    clearTimeout(timer);
    timer =
      pending.size > 0
        ? setTimeout(onTimeout, timeoutMs)
        : setTimeout(checkIdleConnection, idleCheckMs);
  }

  /**
   * The connection is dead or too slow. A repeated request would fail forever if the timeout stayed too
   * short. So the timeout stays long until each of these requests has a response.
   */
  function onTimeout(): void {
    for (const { key } of pending.values()) if (key !== null) timedOutKeys.add(key);
    if (timedOutKeys.size > 0) timeoutMs = Math.min(maxResponseTimeoutMs, timeoutMs * 2);
    connection.reconnect();
  }

  function checkIdleConnection(): void {
    // The interrupted requests are no longer repeated.
    timedOutKeys.clear();
    timeoutMs = responseTimeoutMs;
    connection.onIdle();
  }

  function settle(rid: number, result: RequestResult): void {
    const request = pending.get(rid);
    if (!request) return;
    pending.delete(rid);
    request.resolve(result);
    if (result.kind === 'noResponse' || request.key === null) return;
    if (timedOutKeys.delete(request.key) && timedOutKeys.size === 0) timeoutMs = responseTimeoutMs;
  }

  return {
    send(request) {
      const rid = ++lastRid;
      if (!connection.send({ ...request, rid })) return Promise.resolve({ kind: 'noResponse' });
      return new Promise((resolve) => {
        pending.set(rid, { key: toRetryKey(request), resolve });
        if (pending.size === 1) restartTimer();
      });
    },
    receive(frame) {
      if (frame.type === 'ack') {
        const { rid, type: _, ...done } = frame;
        settle(rid, { kind: 'done', ...done });
      }
      if (frame.type === 'live' || frame.type === 'unread') {
        settle(frame.rid, { kind: 'done', seq: frame.seq });
      }
      if (frame.type === 'nack') settle(frame.rid, toRejection(frame));
      restartTimer();
    },
    abandonAll() {
      for (const rid of [...pending.keys()]) settle(rid, { kind: 'noResponse' });
      clearTimeout(timer);
    },
  };
}

/** The key of a request that the next connection repeats. Null: this one is not repeated. */
function toRetryKey(request: Request): string | null {
  if (request.type === 'subscribe') return `subscribe ${request.classId}`;
  return request.type === 'post' ? `post ${request.id}` : null;
}

function toRejection(nack: ServerFrame & { type: 'nack' }): RequestResult {
  const { code, retryAfterMs, sanction } = nack;
  const mayRetry = retryAfterMs !== undefined || isTemporary(code);
  const maxDelayMs = code === 'SLOW_MODE' ? limits.slowMode * 1000 : maxRetryDelayMs;
  const delayMs = Math.min(Math.max(0, retryAfterMs ?? defaultRetryDelayMs), maxDelayMs);
  const retryDelayMs = mayRetry ? delayMs : null;
  return {
    kind: 'rejected',
    error: new RejectedError(code, wordError(nack), undefined, sanction),
    retryDelayMs,
  };
}
