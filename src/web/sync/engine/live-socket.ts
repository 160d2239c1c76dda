// The connection to /live. It reconnects after every failure until it is closed.
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';
import { toPaddedJson } from '#web/padded-json.ts';

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

const minDelayMs = 500; // WIRE-8
const maxDelayMs = 30_000; // WIRE-8
/** Holds every frame without a text. */
const frameStep = 256; // ANON-62
/** A connection is stable after this time, or when it brings a class up to date (WIRE-8). */
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
  raw: RawSocket | null;
  readonly startedAt: number;
  opened: boolean;
  /** The server has sent `welcome`. */
  welcomed: boolean;
}

export class LiveSocket {
  readonly #openSocket: OpenSocket;
  readonly #events: SocketEvents;
  #current: Attempt | null = null;
  /** Before `welcome`: its deadline. After it: the delay until the connection counts as stable. */
  #trialTimer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #missedWelcomes = 0;
  #retryAfterMs: number | null = null;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  /** True while a hanging attempt is being replaced. */
  #isReplacing = false;
  #isClosed = false;

  constructor(openSocket: OpenSocket, events: SocketEvents) {
    this.#openSocket = openSocket;
    this.#events = events;
  }

  /** Does nothing if there is a connection or an attempt. */
  connect(): void {
    clearTimeout(this.#retryTimer);
    this.#isReplacing = false;
    if (this.#isClosed || this.#current) return;
    const attempt: Attempt = { raw: null, startedAt: Date.now(), opened: false, welcomed: false };
    this.#current = attempt;
    this.#awaitWelcome(attempt);
    attempt.raw = this.#openSocket({
      open() {
        attempt.opened = true;
      },
      text: (text) => {
        if (this.#current === attempt) this.#receive(attempt, text);
      },
      close: (code) => {
        if (this.#current === attempt) this.#onEnded(attempt, code);
      },
    });
  }

  /** @returns false if there is no connection; the frame is not queued */
  send(frame: ClientFrame): boolean {
    if (!this.#current?.opened) return false;
    this.#current.raw?.send(toPaddedJson(frame, frameStep));
    return true;
  }

  /** Connects now if a retry is pending or the current attempt seems to hang. */
  wake(): void {
    if (this.#isClosed || this.#isReplacing) return;
    const attempt = this.#current;
    if (!attempt) return this.connect();
    if (attempt.welcomed || Date.now() - attempt.startedAt < hangingAfterMs) return;
    this.#abandon(attempt);
    // Chromium stalls a new attempt while the previous socket is still closing.
    this.#isReplacing = true;
    this.#connectLater(minDelayMs);
  }

  /** Closes this connection and opens a new one. */
  reconnect(): void {
    if (!this.#current) return;
    this.#abandon(this.#current);
    this.connect();
  }

  /** Connects again after `close`. */
  resume(): void {
    this.#isClosed = false;
    this.#failures = 0;
    if (this.#current) this.reconnect();
    else this.connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#trialTimer);
    this.#current?.raw?.close();
  }

  #connectLater(delayMs: number): void {
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.connect(), delayMs);
  }

  #awaitWelcome(attempt: Attempt): void {
    const timeoutMs = Math.min(maxWelcomeTimeoutMs, welcomeTimeoutMs * 2 ** this.#missedWelcomes);
    this.#trialTimer = setTimeout(() => {
      this.#missedWelcomes += 1;
      this.#abandon(attempt);
    }, timeoutMs);
  }

  #receive(attempt: Attempt, text: string): void {
    const frame = JSON.parse(text) as ServerFrame;
    if (frame.type === 'welcome') this.#onWelcome(attempt);
    if (frame.type === 'live' || frame.type === 'unread') this.#markStable();
    if (frame.type === 'bye') this.#retryAfterMs = frame.retryAfterMs;
    this.#events.onFrame(frame);
  }

  #onWelcome(attempt: Attempt): void {
    attempt.welcomed = true;
    this.#missedWelcomes = 0;
    clearTimeout(this.#trialTimer);
    // A broken server may welcome every connection and then drop it.
    this.#trialTimer = setTimeout(() => this.#markStable(), stableAfterMs);
  }

  #markStable(): void {
    clearTimeout(this.#trialTimer);
    this.#failures = 0;
  }

  #onEnded({ welcomed: wasWelcomed }: Attempt, code: number): void {
    this.#current = null;
    clearTimeout(this.#trialTimer);
    if (!this.#isClosed) {
      this.#connectLater(this.#retryAfterMs ?? reconnectDelayMs(this.#failures));
      this.#failures += 1;
      this.#retryAfterMs = null;
    }
    this.#events.onDown(wasWelcomed, code);
  }

  /** Ends the attempt without waiting for the close event, which can take minutes. */
  #abandon(attempt: Attempt): void {
    this.#onEnded(attempt, 1006);
    attempt.raw?.close();
  }
}
