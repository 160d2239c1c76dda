// This account's other tabs in the same browser: one of them sends, and all hear what changes.

export interface Tabs {
  /** Tells the other tabs that the stored outbox has changed. */
  tell(): void;
  /** @returns how to stop listening */
  onChanged(listener: () => void): () => void;
  /**
   * Stands for being the one tab that sends. `steal`: takes it from whoever has it, for a tab that
   * the system has put to sleep keeps it without doing anything.
   *
   * @returns how to stand back
   */
  elect(name: string, on: LeadershipListener, steal?: boolean): () => void;
}

export interface LeadershipListener {
  won(): void;
  /** Another tab has it now. */
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
  // Plain http off localhost has no locks: every tab sends. Each does so in order and the server
  // takes an id once, so it costs frames and nothing else.
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
