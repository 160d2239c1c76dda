// Deletions of messages that the member can still undo. The message is hidden in this tab immediately; the
// server learns of the deletion when the time is over or the tab is hidden. Storage keeps the ids, so that a
// deletion survives a tab that closes before the server has it.
import { doneOrThrow, type Requests } from './requests.ts';

/** How long the member can undo a deletion. */
export const undoMs = 5000; // SEND-40
/** The tab of a stored deletion may still be open. It gets this much longer to send it. */
const graceMs = 3000;

export interface StoredDeletion {
  account: string;
  classId: string;
  messageId: string;
  /** When the time to undo ends. */
  dueAt: number;
}

/** Shared by the tabs of a browser. */
export interface DeletionStorage {
  list(): readonly StoredDeletion[];
  put(deletion: StoredDeletion): void;
  remove(messageId: string): void;
}

export interface Removal {
  /** The message is deleted, but its picture file could not be deleted yet. */
  imageLeft: boolean;
}

export interface PendingDeletions {
  /** Hides the message. Resolves when it is deleted or the deletion is undone. Rejects with an AppError. */
  remove(classId: string, messageId: string): Promise<Removal>;
  /** @returns whether the deletion was undone. False: it is too late. */
  undo(messageId: string): boolean;
  isHidden(messageId: string): boolean;
  /** Sends all deletions now. Resolves when the server has answered: false if a message may stay. */
  finish(): Promise<boolean>;
  /** Sends the stored deletions of tabs that have closed. Call when a connection opens. */
  resume(account: string): void;
  stop(): void;
}

interface Pending {
  send(): Promise<Removal>;
  undo(): void;
}

export function createPendingDeletions(dependencies: {
  storage: DeletionStorage;
  requests: Pick<Requests, 'send'>;
  now(): number;
  account(): string | null;
  isVisible(): boolean;
  /** The messages that are hidden in this class changed. */
  onChange(classId: string): void;
}): PendingDeletions {
  const { storage, requests, now, account, isVisible, onChange } = dependencies;
  /** A deleted message stays hidden: the log may say later than the reply that it is deleted. */
  const hidden = new Set<string>();
  const pending = new Map<string, Pending>();
  const sending = new Set<Promise<Removal>>();
  const timers = new Set<ReturnType<typeof setTimeout>>();

  function after(ms: number, act: () => void): () => void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      act();
    }, ms);
    timers.add(timer);
    return () => {
      clearTimeout(timer);
      timers.delete(timer);
    };
  }

  function show(classId: string, messageId: string): void {
    hidden.delete(messageId);
    onChange(classId);
  }

  async function send(classId: string, messageId: string): Promise<Removal> {
    const result = await requests.send({ type: 'delete', classId, messageId });
    // The member would not see the error of a hidden tab, so the next connection sends the stored deletion.
    if (result.kind === 'noResponse' && !isVisible()) return { imageLeft: false };
    storage.remove(messageId);
    if (result.kind !== 'done') show(classId, messageId);
    return { imageLeft: doneOrThrow(result).imageLeft ?? false };
  }

  function remove(classId: string, messageId: string): Promise<Removal> {
    const owner = account();
    const dueAt = now() + undoMs;
    if (owner !== null) storage.put({ account: owner, classId, messageId, dueAt });
    hidden.add(messageId);
    onChange(classId);
    return new Promise((resolve) => {
      const cancelTimer = after(undoMs, () => void entry.send());
      const entry: Pending = {
        send() {
          cancelTimer();
          pending.delete(messageId);
          const sent = send(classId, messageId);
          resolve(sent);
          return sent;
        },
        undo() {
          cancelTimer();
          pending.delete(messageId);
          storage.remove(messageId);
          show(classId, messageId);
          resolve({ imageLeft: false });
        },
      };
      pending.set(messageId, entry);
    });
  }

  async function finishStored({ classId, messageId }: StoredDeletion): Promise<void> {
    // Its own tab has sent or undone it meanwhile.
    if (!storage.list().some((stored) => stored.messageId === messageId)) return;
    const result = await requests.send({ type: 'delete', classId, messageId });
    const isRefused = result.kind === 'refused' && result.retryDelayMs === null;
    if (isRefused || result.kind === 'done') storage.remove(messageId);
    if (isRefused) show(classId, messageId);
  }

  return {
    remove,
    undo(messageId) {
      const entry = pending.get(messageId);
      entry?.undo();
      return entry !== undefined;
    },
    isHidden: (messageId) => hidden.has(messageId),
    async finish() {
      for (const entry of pending.values()) {
        const sent = entry.send().finally(() => sending.delete(sent));
        sending.add(sent);
      }
      const results = await Promise.allSettled(sending);
      return results.every((one) => one.status === 'fulfilled') && storage.list().length === 0;
    },
    resume(owner) {
      for (const stored of storage.list()) {
        if (stored.account !== owner || pending.has(stored.messageId)) continue;
        // A clock that was set back must not delay it.
        const leftMs = Math.min(stored.dueAt - now(), undoMs) + graceMs;
        after(Math.max(0, leftMs), () => void finishStored(stored));
      }
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}
