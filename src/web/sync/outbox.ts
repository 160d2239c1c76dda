// Messages that are not in the log yet, in the order of writing. What is shown is in memory at once;
// what is stored follows, so that it survives the tab and the other tabs show it too.
import type { OutboxEntry, OutboxStorage } from './outbox-storage.ts';

export interface Outbox {
  entries(): readonly OutboxEntry[];
  entriesOf(classId: string): readonly OutboxEntry[];
  /** No other tab can see this entry, so none can send it. */
  isOnlyHere(id: string): boolean;
  /** From here on these are the account's: brings what it has stored, and stores what was added before. */
  open(account: string): Promise<void>;
  /** Reads again what is stored: another tab has changed it. */
  reload(): Promise<void>;
  add(entry: Pick<OutboxEntry, 'id' | 'classId' | 'text' | 'replyTo'>): void;
  fail(id: string, failure: string): void;
  retry(id: string): void;
  remove(ids: readonly string[]): void;
  /** Forgets everything of this account, for all tabs. */
  clear(): Promise<void>;
}

export interface OutboxParts {
  storage: Promise<OutboxStorage>;
  now(): number;
  /** Told each class whose entries have changed. */
  onChange(classId: string): void;
  /** Told when a change is stored, or could not be: other tabs should reload. */
  onStored(): void;
}

export function createOutbox({ storage, now, onChange, onStored }: OutboxParts): Outbox {
  let account: string | null = null;
  let entries: readonly OutboxEntry[] = [];
  const onlyHere = new Set<string>();
  /** Counts what this tab did, to tell a reading that it overtook. */
  let changes = 0;

  function replace(next: readonly OutboxEntry[]): void {
    const before = entries;
    entries = next.toSorted(inOrder);
    for (const classId of new Set([...before, ...entries].map((entry) => entry.classId))) {
      onChange(classId);
    }
  }

  async function store(entry: OutboxEntry): Promise<void> {
    if (account === null) return;
    try {
      const { shared, put } = await storage;
      await put({ ...entry, account });
      if (!shared) onlyHere.add(entry.id);
    } catch (error) {
      console.warn('An unsent message could not be stored.', error);
      onlyHere.add(entry.id);
    }
    onStored();
    onChange(entry.classId);
  }

  function change(id: string, failure: string | null): void {
    const entry = entries.find((one) => one.id === id);
    if (!entry) return;
    changes += 1;
    const next = { ...entry, failure };
    entries = entries.map((one) => (one === entry ? next : one));
    onChange(entry.classId);
    void store(next);
  }

  async function reload(): Promise<void> {
    if (account === null) return;
    try {
      let seen: number;
      let stored: readonly OutboxEntry[];
      do {
        seen = changes;
        // Each time by way of `storage`, so that what was changed before is also stored before.
        stored = await (await storage).list(account);
      } while (seen !== changes);
      const kept = new Set(stored.map(({ id }) => id));
      const unstored = entries.filter(({ id }) => onlyHere.has(id) && !kept.has(id));
      replace([...stored, ...unstored]);
    } catch (error) {
      console.warn('Unsent messages could not be read.', error);
    }
  }

  return {
    entries: () => entries,
    entriesOf: (classId) => entries.filter((entry) => entry.classId === classId),
    isOnlyHere: (id) => onlyHere.has(id),
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
    fail: change,
    retry: (id) => change(id, null),
    remove(ids) {
      const gone = entries.filter(({ id }) => ids.includes(id));
      if (gone.length === 0) return;
      changes += 1;
      for (const { id } of gone) onlyHere.delete(id);
      entries = entries.filter((entry) => !gone.includes(entry));
      for (const classId of new Set(gone.map((entry) => entry.classId))) onChange(classId);
      storage
        .then(({ remove }) => remove(gone.map(({ id }) => id)))
        .then(onStored, (error: unknown) =>
          // It is sent once more by the next tab, which the server recognizes.
          console.warn('A sent message could not be taken out of the store.', error),
        );
    },
    async clear() {
      changes += 1;
      onlyHere.clear();
      replace([]);
      if (account !== null) await (await storage).clear(account);
      onStored();
    },
  };
}

function inOrder(a: OutboxEntry, b: OutboxEntry): number {
  return a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}
