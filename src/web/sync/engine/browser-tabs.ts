// Coordinates the account's tabs in one browser: change notifications and leader election.

export interface Tabs {
  /** Notifies the other tabs that the stored outbox changed. */
  publishOutboxChange(): void;
  /** @returns unsubscribe */
  onOutboxChange(listener: () => void): () => void;
  /**
   * Joins the leader election of this name. With `steal`, takes the lock from the current leader, because a
   * suspended tab keeps its lock.
   *
   * @returns releases the leadership, or withdraws from the election
   */
  acquireLeadership(name: string, listener: LeadershipListener, steal?: boolean): () => void;
}

export interface LeadershipListener {
  onAcquired(): void;
  /** Another tab took the leadership. */
  onLost(): void;
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('outbox') : null;

export const browserTabs: Tabs = {
  publishOutboxChange: () => channel?.postMessage('changed'),
  onOutboxChange(listener) {
    channel?.addEventListener('message', listener);
    return () => channel?.removeEventListener('message', listener);
  },
  acquireLeadership,
};

function acquireLeadership(name: string, listener: LeadershipListener, steal = false): () => void {
  // Web Locks need a secure context. Without them every tab sends, which only costs extra frames: each tab
  // keeps the order, and the server accepts an id once.
  if (!('locks' in navigator)) {
    listener.onAcquired();
    return () => {};
  }
  const request = new AbortController();
  const released = Promise.withResolvers<void>();
  const options = steal ? { steal } : { signal: request.signal };
  navigator.locks
    .request(name, options, () => {
      listener.onAcquired();
      return released.promise;
    })
    .catch(() => listener.onLost());
  return () => {
    request.abort();
    released.resolve();
  };
}
