// Coordinates the account's tabs in one browser: change notifications and leader election.

export interface Tabs {
  /** Notifies the other tabs that the stored outbox changed. */
  tell(): void;
  /** @returns unsubscribe */
  onChanged(listener: () => void): () => void;
  /**
   * Joins a leader election. With `steal`, takes the lock from the current leader: a tab that the system
   * suspends keeps its lock without working.
   *
   * @returns a function that leaves the election or releases the leadership
   */
  elect(name: string, on: LeadershipListener, steal?: boolean): () => void;
}

export interface LeadershipListener {
  won(): void;
  /** Another tab took the leadership. */
  lost(): void;
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('outbox') : null;

export const browserTabs: Tabs = {
  tell: () => channel?.postMessage('changed'),
  onChanged(listener) {
    channel?.addEventListener('message', listener);
    return () => channel?.removeEventListener('message', listener);
  },
  elect,
};

function elect(name: string, on: LeadershipListener, steal = false): () => void {
  // Web Locks need a secure context. Without them every tab sends, which only costs extra frames: each tab
  // keeps the order, and the server accepts an id once.
  if (!('locks' in navigator)) {
    on.won();
    return () => {};
  }
  const waiting = new AbortController();
  const held = Promise.withResolvers<void>();
  const options = steal ? { steal } : { signal: waiting.signal };
  navigator.locks
    .request(name, options, () => {
      on.won();
      return held.promise;
    })
    .catch(() => on.lost());
  return () => {
    waiting.abort();
    held.resolve();
  };
}
