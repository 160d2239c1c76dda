// The connection as the screen shows it: short interruptions are hidden, and HTTP calls tell whether only sockets fail.
import { createStore, type Store } from '#web/store.ts';

/** `blocked`: the server answers over HTTP, but every WebSocket connection fails. */
export type Connection = 'connecting' | 'online' | 'offline' | 'blocked';

export interface ConnectionStatus extends Store<Connection> {
  onWelcome(): void;
  /** @param hasFailed the socket closed before the server answered */
  onDown(hasFailed: boolean): void;
  stop(): void;
}

/** Shorter interruptions are not shown. */
const offlineAfterMs = 2000;
/** One failure is not enough: the server may have started between the failed attempt and the HTTP check. */
const blockedAfterAttempts = 2; // WIRE-27

/** @param checkSession checks the session over HTTP */
export function createConnectionStatus(
  checkSession: () => Promise<'signed-in' | 'signed-out' | 'unreachable'>,
  onSignedOut: () => void,
): ConnectionStatus {
  const { subscribe, getSnapshot, set } = createStore<Connection>('connecting');
  /** The timer that shows an interruption. Null while there is a connection. */
  let timer: ReturnType<typeof setTimeout> | null = null;
  /** Consecutive failed attempts while HTTP works. */
  let blockedAttempts = 0;

  function stopTimer(): void {
    if (timer) clearTimeout(timer);
    timer = null;
  }

  /** The browser does not report why a socket failed, so an HTTP call finds the reason. */
  async function diagnoseFailure(): Promise<void> {
    const session = await checkSession();
    if (timer === null) return;
    if (session === 'signed-out') return onSignedOut();
    blockedAttempts = session === 'signed-in' ? blockedAttempts + 1 : 0;
    if (getSnapshot() !== 'connecting') showDown();
  }

  function showDown(): void {
    set(blockedAttempts >= blockedAfterAttempts ? 'blocked' : 'offline');
  }

  return {
    subscribe,
    getSnapshot,
    onWelcome() {
      stopTimer();
      blockedAttempts = 0;
      set('online');
    },
    onDown(hasFailed) {
      timer ??= setTimeout(showDown, offlineAfterMs);
      if (hasFailed) void diagnoseFailure();
    },
    stop() {
      stopTimer();
      set('connecting');
    },
  };
}
