// Messages that the server has not acknowledged: in order per class, one on its way at a time.
// An entry goes only when its message is in the log, or when the person discards it.

export interface OutboxEntry {
  readonly id: string;
  readonly classId: string;
  readonly text: string;
  readonly createdAt: number;
  /** `acknowledged`: saved, but its place in the log has not come in yet. */
  readonly state: 'waiting' | 'inFlight' | 'acknowledged' | 'failed';
  /** Its place in the log, once acknowledged. */
  readonly seq: number | null;
  readonly failure: string | null;
}

export interface Outbox {
  entriesOf(classId: string): readonly OutboxEntry[];
  add(entry: Pick<OutboxEntry, 'id' | 'classId' | 'text' | 'createdAt'>): void;
  /** The next entry of each class to send; each is then on its way. */
  takeSendable(): OutboxEntry[];
  /** @returns the entry's class, or null when there is no such entry */
  acknowledge(id: string, seq: number): string | null;
  /** Removes what a log held up to `seq`, with these messages in it, has taken over. */
  settle(classId: string, seq: number, messageIds: Iterable<string>): void;
  /** Not saved, but the same may be later. */
  putBack(id: string): void;
  fail(id: string, failure: string): void;
  retry(id: string): void;
  remove(id: string): void;
  /** The connection ended: what was on its way may or may not have arrived, and is sent again. */
  putBackAll(): void;
}

/** @param onChange told the class whose entries have changed */
export function createOutbox(onChange: (classId: string) => void): Outbox {
  let entries: readonly OutboxEntry[] = [];

  function change(id: string, fields: Partial<OutboxEntry>): void {
    const entry = entries.find((one) => one.id === id);
    if (!entry) return;
    entries = entries.map((one) => (one === entry ? { ...one, ...fields } : one));
    onChange(entry.classId);
  }

  return {
    entriesOf: (classId) => entries.filter((entry) => entry.classId === classId),
    add(entry) {
      entries = [...entries, { ...entry, state: 'waiting', seq: null, failure: null }];
      onChange(entry.classId);
    },
    takeSendable() {
      const busy = new Set(
        entries.filter((entry) => entry.state === 'inFlight').map((entry) => entry.classId),
      );
      const next: OutboxEntry[] = [];
      for (const entry of entries) {
        if (entry.state !== 'waiting' || busy.has(entry.classId)) continue;
        busy.add(entry.classId);
        next.push(entry);
      }
      for (const { id } of next) change(id, { state: 'inFlight' });
      return next;
    },
    acknowledge(id, seq) {
      change(id, { state: 'acknowledged', seq });
      return entries.find((entry) => entry.id === id)?.classId ?? null;
    },
    settle(classId, seq, messageIds) {
      const mine = entries.filter((entry) => entry.classId === classId);
      if (mine.length === 0) return;
      const known = new Set(messageIds);
      const settled = mine.filter(
        (entry) => known.has(entry.id) || (entry.seq !== null && entry.seq <= seq),
      );
      entries = entries.filter((entry) => !settled.includes(entry));
      if (settled.length > 0) onChange(classId);
    },
    putBack: (id) => change(id, { state: 'waiting' }),
    fail: (id, failure) => change(id, { state: 'failed', failure }),
    retry: (id) => change(id, { state: 'waiting', failure: null }),
    remove(id) {
      const entry = entries.find((one) => one.id === id);
      if (!entry) return;
      entries = entries.filter((one) => one !== entry);
      onChange(entry.classId);
    },
    putBackAll() {
      for (const entry of entries)
        if (entry.state === 'inFlight') change(entry.id, { state: 'waiting' });
    },
  };
}
