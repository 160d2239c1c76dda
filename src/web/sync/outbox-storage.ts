// The storage interface for unsent messages. The in-memory implementation serves tests and browsers that
// forbid storage.

/** The picture of an unsent message. */
export interface OutboxPicture {
  /** The chosen file without its name. Null if the browser had no room to store it. */
  readonly bytes: Blob | null;
  /** The size that this browser measured. Null if it cannot decode the picture. */
  readonly size: PictureSize | null;
  readonly alt: string;
  /** The server's id of the picture, after the upload. */
  readonly imageId: string | null;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** An unsent message. */
export interface OutboxEntry {
  readonly id: string;
  readonly classId: string;
  readonly text: string;
  readonly picture: OutboxPicture | null;
  readonly replyTo: string | null;
  /** Also the sort key: values from one tab are unique. */
  readonly createdAt: number;
  /** The error message if the server refused it permanently, else null. */
  readonly failure: string | null;
}

/** `account` is the author's account. The entry is never sent under another account. */
export type StoredEntry = OutboxEntry & { readonly account: string };

export interface OutboxStorage {
  /** Whether other tabs see the same entries. */
  readonly shared: boolean;
  /** Unordered. Includes all writes that started before the call. */
  list(account: string): Promise<readonly StoredEntry[]>;
  /** Adds or replaces the entry with this id. */
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
