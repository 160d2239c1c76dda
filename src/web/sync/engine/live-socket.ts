// The connection to /live. It reconnects after every failure until it is closed.
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';

export interface SocketEvents {
  onFrame(frame: ServerFrame): void;
  /** The connection ended. `welcomed`: the server had sent its welcome frame. */
  onDown(welcomed: boolean, code: number): void;
}

/** One connection attempt. Tests pass their own. */
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
  /** @returns false if there is no connection; the frame is not queued */
  send(frame: ClientFrame): boolean;
  /** Connects now if a retry is pending or the current attempt seems to hang. */
  wake(): void;
  /** Closes this connection and opens a new one. */
  reconnect(): void;
  close(): void;
}

const minDelayMs = 500; // WIRE-8
const maxDelayMs = 30_000; // WIRE-8
/** A connection is stable after this time, or when it brings a class up to date (WIRE-13). */
const stableAfterMs = 10_000;
/** The time from opening to `welcome`. It doubles after each timeout, for very slow connections. */
const welcomeTimeoutMs = 10_000; // WIRE-25
const maxWelcomeTimeoutMs = 40_000; // WIRE-25
/** `wake()` does not replace an attempt younger than this. Otherwise a slow connection would never open. */
const hangingAfterMs = 2000;

/** Full jitter: a random delay between the minimum and a ceiling that doubles with each failure. */
export function reconnectDelayMs(failures: number, random = Math.random()): number {
  const ceiling = Math.min(maxDelayMs, minDelayMs * 2 ** (Math.min(failures, 16) + 1));
  return minDelayMs + random * (ceiling - minDelayMs);
}

interface Attempt {
  raw: RawSocket;
  readonly startedAt: number;
  opened: boolean;
  /** The server has sent `welcome`. */
  welcomed: boolean;
}

export function createLiveSocket(open: OpenSocket, events: SocketEvents): LiveSocket {
  let current: Attempt | null = null;
  /** Before `welcome`: its deadline. After it: the delay until the connection counts as stable. */
  let trialTimer: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let missedWelcomes = 0;
  let retryAfterMs: number | null = null;
  let retryTimer: ReturnType<typeof setTimeout> | null = null;
  /** True while a hanging attempt is being replaced. */
  let isReplacing = false;
  let isClosed = false;

  function connect(): void {
    if (retryTimer) clearTimeout(retryTimer);
    retryTimer = null;
    isReplacing = false;
    if (isClosed || current) return;
    const raw = null as unknown as RawSocket;
    const attempt: Attempt = { raw, startedAt: Date.now(), opened: false, welcomed: false };
    current = attempt;
    const timeoutMs = Math.min(maxWelcomeTimeoutMs, welcomeTimeoutMs * 2 ** missedWelcomes);
    trialTimer = setTimeout(() => {
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
        if (frame.type === 'welcome') onWelcome(attempt);
        if (frame.type === 'live' || frame.type === 'unread') markStable();
        if (frame.type === 'bye') retryAfterMs = frame.retryAfterMs;
        events.onFrame(frame);
      },
      close(code) {
        if (current === attempt) onEnded(attempt.welcomed, code);
      },
    });
  }

  function onWelcome(attempt: Attempt): void {
    attempt.welcomed = true;
    missedWelcomes = 0;
    clearTimeout(trialTimer);
    // A broken server may welcome every connection and then drop it.
    trialTimer = setTimeout(markStable, stableAfterMs);
  }

  function markStable(): void {
    clearTimeout(trialTimer);
    failures = 0;
  }

  function onEnded(wasWelcomed: boolean, code: number): void {
    current = null;
    clearTimeout(trialTimer);
    if (!isClosed) {
      retryTimer = setTimeout(connect, retryAfterMs ?? reconnectDelayMs(failures));
      failures += 1;
      retryAfterMs = null;
    }
    events.onDown(wasWelcomed, code);
  }

  /** Ends the attempt without waiting for the close event, which can take minutes. */
  function abandon({ raw, welcomed: wasWelcomed }: Attempt): void {
    onEnded(wasWelcomed, 1006);
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
      if (isClosed || isReplacing) return;
      if (!current) return connect();
      if (current.welcomed || Date.now() - current.startedAt < hangingAfterMs) return;
      abandon(current);
      if (retryTimer) clearTimeout(retryTimer);
      // Chromium stalls a new attempt while the previous socket is still closing.
      isReplacing = true;
      retryTimer = setTimeout(connect, minDelayMs);
    },
    reconnect() {
      if (!current) return;
      abandon(current);
      connect();
    },
    close() {
      isClosed = true;
      if (retryTimer) clearTimeout(retryTimer);
      clearTimeout(trialTimer);
      current?.raw.close();
    },
  };
}
