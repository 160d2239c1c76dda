// Unsent messages in the order of writing. Memory is updated immediately. Storage follows, so that entries
// survive the tab and other tabs can show them.
import type { OutboxEntry, OutboxPicture, OutboxStorage, StoredEntry } from './outbox-storage.ts';

type NewEntry = Pick<OutboxEntry, 'id' | 'classId' | 'text' | 'picture' | 'replyTo'>;

export interface Outbox {
  entries(): readonly OutboxEntry[];
  entriesOf(classId: string): readonly OutboxEntry[];
  find(id: string): OutboxEntry | undefined;
  /** No other tab can see this entry or its picture, so only this tab can send it. */
  isOnlyHere(id: string): boolean;
  /** The browser had no room to store the picture: it is lost when this tab closes. */
  isPictureOnlyHere(id: string): boolean;
  /** Binds the outbox to an account: loads its stored entries and stores those added before. */
  open(account: string): Promise<void>;
  /** Reads storage again after another tab changed it. */
  reload(): Promise<void>;
  add(entry: NewEntry): void;
  fail(id: string, failure: string): void;
  /** Retries a failed entry. If its picture was lost, only the text is sent. */
  retry(id: string): void;
  /** Records the picture's id on the server; null if the server no longer has it. Resolves when stored. */
  uploaded(id: string, imageId: string | null): Promise<void>;
  remove(ids: readonly string[]): void;
  /** Deletes everything of this account, for all tabs. */
  clear(): Promise<void>;
}

export interface OutboxParts {
  storage: Promise<OutboxStorage>;
  now(): number;
  /** Called for each class whose entries changed. */
  onChange(classId: string): void;
  /** Called after each write to storage, even a failed one. Other tabs should reload. */
  onStored(): void;
  /** The browser has no room to store this picture. */
  onPictureOnlyHere(id: string): void;
  /** The entry left the outbox. */
  onRemoved(id: string): void;
}

export function createOutbox(parts: OutboxParts): Outbox {
  const { storage, now, onChange, onStored, onPictureOnlyHere, onRemoved } = parts;
  let account: string | null = null;
  let entries: readonly OutboxEntry[] = [];
  const onlyHere = new Set<string>();
  const pictureOnlyHere = new Set<string>();
  /** Entries that are being written. A read that started before the write may not contain them. */
  const beingStored = new Set<OutboxEntry>();
  /** Counts local changes, to detect a read that started before one. */
  let changes = 0;

  function replace(next: readonly OutboxEntry[]): void {
    const before = entries;
    entries = next.toSorted(inOrder);
    const left = new Set(entries.map(({ id }) => id));
    for (const { id } of before) if (!left.has(id)) forget(id);
    for (const classId of new Set([...before, ...entries].map((entry) => entry.classId))) {
      onChange(classId);
    }
  }

  function forget(id: string): void {
    onlyHere.delete(id);
    pictureOnlyHere.delete(id);
    onRemoved(id);
  }

  async function store(entry: OutboxEntry): Promise<void> {
    if (account === null) return;
    beingStored.add(entry);
    try {
      const { shared, put } = await storage;
      await putWhatFits(put, { ...entry, account });
      if (!shared) onlyHere.add(entry.id);
    } catch (error) {
      console.warn('An unsent message could not be stored.', error);
      onlyHere.add(entry.id);
    }
    beingStored.delete(entry);
    onStored();
    onChange(entry.classId);
  }

  /** If the picture does not fit into storage, stores the text without it. */
  async function putWhatFits(put: OutboxStorage['put'], entry: StoredEntry): Promise<void> {
    const { id, picture } = entry;
    if (!picture?.bytes || pictureOnlyHere.has(id)) {
      return put(picture ? { ...entry, picture: { ...picture, bytes: null } } : entry);
    }
    try {
      await put(entry);
    } catch {
      await put({ ...entry, picture: { ...picture, bytes: null } });
      pictureOnlyHere.add(id);
      onPictureOnlyHere(id);
    }
  }

  function change(id: string, fields: Partial<OutboxEntry>): Promise<void> {
    const entry = find(id);
    if (!entry) return Promise.resolve();
    changes += 1;
    const next = { ...entry, ...fields };
    entries = entries.map((one) => (one === entry ? next : one));
    onChange(entry.classId);
    return store(next);
  }

  function find(id: string): OutboxEntry | undefined {
    return entries.find((one) => one.id === id);
  }

  async function reload(): Promise<void> {
    if (account === null) return;
    try {
      let seen: number;
      let stored: readonly OutboxEntry[];
      do {
        seen = changes;
        // Waits on `storage` again, so that all earlier writes are included.
        stored = await (await storage).list(account);
      } while (seen !== changes);
      const kept = new Set(stored.map(({ id }) => id));
      const unstored = entries.filter(
        (entry) => !kept.has(entry.id) && (onlyHere.has(entry.id) || beingStored.has(entry)),
      );
      replace([...stored.map(withPictureFromHere), ...unstored]);
    } catch (error) {
      console.warn('Unsent messages could not be read.', error);
    }
  }

  /** Each read returns new Blob handles or none. Keeps the handles that are on screen. */
  function withPictureFromHere(entry: OutboxEntry): OutboxEntry {
    const mine = find(entry.id)?.picture;
    if (!entry.picture || !mine?.bytes) return entry;
    const same = mine.imageId === entry.picture.imageId;
    return { ...entry, picture: same ? mine : { ...entry.picture, bytes: mine.bytes } };
  }

  return {
    entries: () => entries,
    entriesOf: (classId) => entries.filter((entry) => entry.classId === classId),
    find,
    isOnlyHere: (id) => onlyHere.has(id) || pictureOnlyHere.has(id),
    isPictureOnlyHere: (id) => pictureOnlyHere.has(id),
    async open(owner) {
      if (account === null) {
        account = owner;
        for (const entry of entries) void store(entry);
      }
      await reload();
    },
    reload,
    add(added) {
      changes += 1;
      const createdAt = Math.max(now(), (entries.at(-1)?.createdAt ?? 0) + 1);
      const entry = { ...added, createdAt, failure: null };
      entries = [...entries, entry];
      onChange(entry.classId);
      void store(entry);
    },
    fail: (id, failure) => void change(id, { failure }),
    retry(id) {
      const entry = find(id);
      const alone = entry !== undefined && entry.text !== '' && isLost(entry.picture);
      void change(id, { failure: null, ...(alone && { picture: null }) });
    },
    async uploaded(id, imageId) {
      const picture = find(id)?.picture;
      if (picture && picture.imageId !== imageId) {
        await change(id, { picture: { ...picture, imageId } });
      }
    },
    remove(ids) {
      const gone = entries.filter(({ id }) => ids.includes(id));
      if (gone.length === 0) return;
      changes += 1;
      entries = entries.filter((entry) => !gone.includes(entry));
      for (const { id } of gone) forget(id);
      for (const classId of new Set(gone.map((entry) => entry.classId))) onChange(classId);
      storage
        .then(({ remove }) => remove(gone.map(({ id }) => id)))
        .then(onStored, (error: unknown) =>
          // The next tab sends it again, and the server recognizes the id.
          console.warn('A sent message could not be taken out of the store.', error),
        );
    },
    async clear() {
      changes += 1;
      replace([]);
      if (account !== null) await (await storage).clear(account);
      onStored();
    },
  };
}

/** The picture is neither in this browser nor on the server. */
export function isLost(picture: OutboxPicture | null): boolean {
  return picture !== null && picture.bytes === null && picture.imageId === null;
}

function inOrder(a: OutboxEntry, b: OutboxEntry): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
