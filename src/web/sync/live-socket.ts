// The connection to /live: opened again whenever it ends, until it is closed for good.
import type { ClientFrame, ServerFrame } from '#contract/socket.ts';

export interface SocketEvents {
  frame(frame: ServerFrame): void;
  /** The socket ended. `opened`: it had been open. */
  down(opened: boolean, code: number): void;
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
  /** Connects at once if it is waiting to. */
  wake(): void;
  /** Ends this connection and opens another one. */
  reconnect(): void;
  close(): void;
}

const shortestMs = 500; // WIRE-8
const longestMs = 30_000; // WIRE-8
/** A connection that lasts this long works, and one that brought a class up to date (WIRE-13). */
const steadyAfterMs = 10_000;

/** Full jitter: anything between the shortest wait and a ceiling that doubles with each failure. */
export function reconnectDelayMs(failures: number, random = Math.random()): number {
  const ceiling = Math.min(longestMs, shortestMs * 2 ** (Math.min(failures, 16) + 1));
  return shortestMs + random * (ceiling - shortestMs);
}

export function createLiveSocket(open: OpenSocket, on: SocketEvents): LiveSocket {
  let current: { raw: RawSocket; opened: boolean } | null = null;
  /** Until the connection has shown that it works: a server may greet everybody and then drop them. */
  let proving: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let retryAfterMs: number | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let closed = false;

  function connect(): void {
    if (timer) clearTimeout(timer);
    timer = null;
    if (closed || current) return;
    const attempt = { raw: null as unknown as RawSocket, opened: false };
    current = attempt;
    attempt.raw = open({
      open() {
        attempt.opened = true;
        if (current === attempt) proving = setTimeout(proved, steadyAfterMs);
      },
      text(text) {
        if (current !== attempt) return;
        const frame = JSON.parse(text) as ServerFrame;
        if (frame.type === 'live') proved();
        if (frame.type === 'bye') retryAfterMs = frame.retryAfterMs;
        on.frame(frame);
      },
      close(code) {
        if (current === attempt) ended(attempt.opened, code);
      },
    });
  }

  function proved(): void {
    clearTimeout(proving);
    failures = 0;
  }

  function ended(opened: boolean, code: number): void {
    current = null;
    clearTimeout(proving);
    if (!closed) {
      timer = setTimeout(connect, retryAfterMs ?? reconnectDelayMs(failures));
      failures += 1;
      retryAfterMs = null;
    }
    on.down(opened, code);
  }

  connect();

  return {
    send(frame) {
      if (!current?.opened) return false;
      current.raw.send(JSON.stringify(frame));
      return true;
    },
    wake() {
      if (timer) connect();
    },
    reconnect() {
      const raw = current?.raw;
      if (!raw) return;
      ended(true, 1006);
      raw.close();
      connect();
    },
    close() {
      closed = true;
      if (timer) clearTimeout(timer);
      clearTimeout(proving);
      current?.raw.close();
    },
  };
}
