// Pending requests to the server, identified by `rid`.
import { errors, AppError } from '#contract/errors.ts';
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';

type WithRid = Extract<ClientFrame, { rid: number }>;
type WithoutRid<Frame> = Frame extends unknown ? Omit<Frame, 'rid'> : never;
export type Request = WithoutRid<WithRid>;

export type Answer =
  | { kind: 'done'; seq: number; imageLeft?: true | undefined }
  /** `retryInMs`: the delay until a retry may succeed, or null if it never will. */
  | { kind: 'refused'; refusal: AppError; retryInMs: number | null }
  /** The connection ended or there was none. The outcome is unknown. */
  | { kind: 'lost' };

export interface Requests {
  ask(request: Request): Promise<Answer>;
  /** Call for every frame that arrives. */
  heard(frame: ServerFrame): void;
  /** The connection ended. */
  lose(): void;
}

/** If no frame arrives for this long while a response is due, the connection is dead. */
const silenceMs = 15_000; // WIRE-26
/** The timeout doubles up to this value, because a single frame can take longer on a very slow connection. */
const maxSilenceMs = 120_000; // WIRE-26
/**
 * After this long without a frame and without a request, a request checks whether the connection is alive.
 */
const quietMs = 60_000; // WIRE-14
const retryRefusedMs = 2000;
/** Caps the server's retry delay, because a member waits for the message. */
const maxRetryDelayMs = 60_000;

export function createRequests(connection: {
  send(frame: ClientFrame): boolean;
  reconnect(): void;
  /** No frame has arrived for a while. */
  quiet(): void;
}): Requests {
  const unanswered = new Map<number, { key: string | null; resolve(answer: Answer): void }>();
  /** Repeated requests that a timeout interrupted and that have had no response since. */
  const cutOff = new Set<string>();
  let allowedSilenceMs = silenceMs;
  let lastRid = 0;
  let silence: ReturnType<typeof setTimeout> | undefined;

  function watch(): void {
    clearTimeout(silence);
    silence =
      unanswered.size > 0
        ? setTimeout(endSilent, allowedSilenceMs)
        : setTimeout(askWhileQuiet, quietMs);
  }

  /**
   * The connection is dead or too slow. A repeated request would fail forever if the timeout stayed too
   * short. So the timeout stays long until each of these requests has a response.
   */
  function endSilent(): void {
    for (const { key } of unanswered.values()) if (key !== null) cutOff.add(key);
    if (cutOff.size > 0) allowedSilenceMs = Math.min(maxSilenceMs, allowedSilenceMs * 2);
    connection.reconnect();
  }

  function askWhileQuiet(): void {
    // The interrupted requests are no longer repeated.
    cutOff.clear();
    allowedSilenceMs = silenceMs;
    connection.quiet();
  }

  function answer(rid: number, with_: Answer): void {
    const asked = unanswered.get(rid);
    if (!asked) return;
    unanswered.delete(rid);
    asked.resolve(with_);
    if (with_.kind === 'lost' || asked.key === null) return;
    if (cutOff.delete(asked.key) && cutOff.size === 0) allowedSilenceMs = silenceMs;
  }

  return {
    ask(request) {
      const rid = ++lastRid;
      if (!connection.send({ ...request, rid })) return Promise.resolve({ kind: 'lost' });
      return new Promise((resolve) => {
        unanswered.set(rid, { key: repeatedKey(request), resolve });
        if (unanswered.size === 1) watch();
      });
    },
    heard(frame) {
      if (frame.type === 'ack') {
        const { rid, seq, imageLeft } = frame;
        answer(rid, { kind: 'done', seq, imageLeft });
      }
      if (frame.type === 'live') answer(frame.rid, { kind: 'done', seq: frame.seq });
      if (frame.type === 'nack') answer(frame.rid, refused(frame));
      watch();
    },
    lose() {
      for (const rid of [...unanswered.keys()]) answer(rid, { kind: 'lost' });
      clearTimeout(silence);
    },
  };
}

/** A key for a request that is repeated on the next connection, or null. */
function repeatedKey(request: Request): string | null {
  if (request.type === 'subscribe') return `subscribe ${request.classId}`;
  return request.type === 'post' ? `post ${request.id}` : null;
}

function refused({ code, message, retryAfterMs }: ServerFrame & { type: 'nack' }): Answer {
  // A newer server may send codes that this page does not know.
  const mayRetry =
    retryAfterMs !== undefined || (Object.hasOwn(errors, code) && errors[code].retry);
  const asked = Math.min(Math.max(0, retryAfterMs ?? retryRefusedMs), maxRetryDelayMs);
  const retryInMs = mayRetry ? asked : null;
  return { kind: 'refused', refusal: new AppError(code, message), retryInMs };
}
