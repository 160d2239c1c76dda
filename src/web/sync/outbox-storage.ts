// Where unsent messages outlive their tab: what every implementation must do, and the one in memory
// for tests and for browsers that refuse to store.

/** A picture on its way to the log, with its message. */
export interface OutboxPicture {
  /** The file that was chosen, without its name; null where the browser had no room to keep it. */
  readonly bytes: Blob | null;
  /** As this browser shows it; null where it cannot. */
  readonly size: PictureSize | null;
  readonly alt: string;
  /** What the server calls it, once it was uploaded. */
  readonly imageId: string | null;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** A message on its way to the log, as the person wrote it. */
export interface OutboxEntry {
  readonly id: string;
  readonly classId: string;
  readonly text: string;
  readonly picture: OutboxPicture | null;
  readonly replyTo: string | null;
  /** Also their order: no two of one tab are equal. */
  readonly createdAt: number;
  /** Why it was refused for good, as a sentence; null while it is to be sent. */
  readonly failure: string | null;
}

/** `account`: who wrote it. It is never sent under another one. */
export type StoredEntry = OutboxEntry & { readonly account: string };

export interface OutboxStorage {
  /** Other tabs see the same entries. */
  readonly shared: boolean;
  /** In any order. Sees what was put and removed before it was called. */
  list(account: string): Promise<readonly StoredEntry[]>;
  /** Adds the entry, or replaces the one of the same id. */
  put(entry: StoredEntry): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  clear(account: string): Promise<void>;
}

export function createMemoryStorage(shared = false): OutboxStorage {
  const entries = new Map<string, StoredEntry>();
  const of = (account: string) => [...entries.values()].filter((one) => one.account === account);
  return {
    shared,
    list: (account) => Promise.resolve(of(account)),
    put(entry) {
      entries.set(entry.id, entry);
      return Promise.resolve();
    },
    remove(ids) {
      for (const id of ids) entries.delete(id);
      return Promise.resolve();
    },
    clear(account) {
      for (const { id } of of(account)) entries.delete(id);
      return Promise.resolve();
    },
  };
}
