// The connection to /live: opened again whenever it ends, until it is closed for good.
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';

export interface SocketEvents {
  frame(frame: ServerFrame): void;
  /** The connection ended. `welcomed`: the server had greeted it. */
  down(welcomed: boolean, code: number): void;
}

/** What a live socket is made of: one attempt to connect. Tests bring their own. */
export interface RawSocket {
  send(text: string): void;
  close(): void;
}
export type OpenSocket = (on: {
  open(): void;
  text(text: string): void;
  close(code: number): void;
}) => RawSocket;

export interface LiveSocket {
  /** False when there is no connection: the frame is not kept. */
  send(frame: ClientFrame): boolean;
  /** Connects immediately if it waits to retry, or if the current attempt seems to hang. */
  wake(): void;
  /** Ends this connection and opens another one. */
  reconnect(): void;
  close(): void;
}

const shortestMs = 500; // WIRE-8
const maxMs = 30_000; // WIRE-8
/** A connection that lasts this long works, and one that brought a class up to date (WIRE-13). */
const steadyAfterMs = 10_000;
/** From opening to `welcome`. It doubles with each attempt that missed it, for very slow lines. */
const welcomeTimeoutMs = 10_000; // WIRE-25
const maxWelcomeTimeoutMs = 40_000; // WIRE-25
/** A younger attempt is not replaced by `wake()`: on a slow line none would ever finish. */
const hangingAfterMs = 2000;

/** Full jitter: anything between the shortest wait and a ceiling that doubles with each failure. */
export function reconnectDelayMs(failures: number, random = Math.random()): number {
  const ceiling = Math.min(maxMs, shortestMs * 2 ** (Math.min(failures, 16) + 1));
  return shortestMs + random * (ceiling - shortestMs);
}

interface Attempt {
  raw: RawSocket;
  readonly startedAt: number;
  opened: boolean;
  /** The server has sent `welcome`. */
  welcomed: boolean;
}

export function createLiveSocket(open: OpenSocket, on: SocketEvents): LiveSocket {
  let current: Attempt | null = null;
  /** Until `welcome` its deadline; then until the connection has shown that it works. */
  let trial: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let missedWelcomes = 0;
  let retryAfterMs: number | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  /** An attempt that hung has just been ended. */
  let isReplacing = false;
  let closed = false;

  function connect(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    isReplacing = false;
    if (closed || current) return;
    const raw = null as unknown as RawSocket;
    const attempt: Attempt = { raw, startedAt: Date.now(), opened: false, welcomed: false };
    current = attempt;
    const timeoutMs = Math.min(maxWelcomeTimeoutMs, welcomeTimeoutMs * 2 ** missedWelcomes);
    trial = setTimeout(() => {
      missedWelcomes += 1;
      abandon(attempt);
    }, timeoutMs);
    attempt.raw = open({
      open() {
        attempt.opened = true;
      },
      text(text) {
        if (current !== attempt) return;
        const frame = JSON.parse(text) as ServerFrame;
        if (frame.type === 'welcome') welcomed(attempt);
        if (frame.type === 'live') proved();
        if (frame.type === 'bye') retryAfterMs = frame.retryAfterMs;
        on.frame(frame);
      },
      close(code) {
        if (current === attempt) ended(attempt.welcomed, code);
      },
    });
  }

  function welcomed(attempt: Attempt): void {
    attempt.welcomed = true;
    missedWelcomes = 0;
    clearTimeout(trial);
    // A server may greet every connection and then drop it.
    trial = setTimeout(proved, steadyAfterMs);
  }

  function proved(): void {
    clearTimeout(trial);
    failures = 0;
  }

  function ended(wasWelcomed: boolean, code: number): void {
    current = null;
    clearTimeout(trial);
    if (!closed) {
      timer = setTimeout(connect, retryAfterMs ?? reconnectDelayMs(failures));
      failures += 1;
      retryAfterMs = null;
    }
    on.down(wasWelcomed, code);
  }

  /** Ends the attempt without waiting for the browser to notice: that can take minutes. */
  function abandon({ raw, welcomed: wasWelcomed }: Attempt): void {
    ended(wasWelcomed, 1006);
    raw.close();
  }

  connect();

  return {
    send(frame) {
      if (!current?.opened) return false;
      current.raw.send(JSON.stringify(frame));
      return true;
    },
    wake() {
      if (closed || isReplacing) return;
      if (!current) return connect();
      if (current.welcomed || Date.now() - current.startedAt < hangingAfterMs) return;
      abandon(current);
      if (timer) clearTimeout(timer);
      // Chromium lets a new attempt hang if it still ends the one before.
      isReplacing = true;
      timer = setTimeout(connect, shortestMs);
    },
    reconnect() {
      if (!current) return;
      abandon(current);
      connect();
    },
    close() {
      closed = true;
      if (timer) clearTimeout(timer);
      clearTimeout(trial);
      current?.raw.close();
    },
  };
}
