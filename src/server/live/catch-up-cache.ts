// Caches encoded data for the catch-up. Members who open a room at the same seq share its snapshot, and members who
// missed the same changes share their pages.
import { LRUCache } from 'lru-cache';
import { replayPage, takeSnapshot, type Position } from '#server/chat/messages/catch-up.ts';
import type { LogItem } from '#contract/socket.ts';
import type { Database } from '#server/store/tables.ts';
import { encodeFrame, encodeRoom, type EncodedFrame, type EncodedRoom } from './frames.ts';

export interface CatchUpCache {
  /** Returns the class's room at `seq`, which must be the head of its log. */
  getSnapshot(classId: string, seq: number): Promise<RoomSnapshot>;
  /**
   * Returns the changes after a position, at most up to a seq and as many as fit into a frame; null if a snapshot is
   * needed.
   *
   * @param head the head of the log, which the caller has just read
   */
  getMissedPage(
    classId: string,
    position: Position,
    upTo: number,
    head: number,
  ): Promise<MissedPage | null>;
  /** Drops what a commit made stale: the snapshot, and if there are changes other than new messages, also all pages. */
  update(classId: string, items: readonly LogItem[]): void;
  /** Drops all data of a class, because it may contain deleted text. */
  invalidate(classId: string): void;
  /** Drops everything. */
  clear(): void;
}

export interface MissedPage {
  to: number;
  lastId: string;
  /** Null if nothing was missed. */
  frame: EncodedFrame | null;
}

export interface RoomSnapshot {
  seq: number;
  /** The id of the entry at `seq`; null if the log is empty. */
  lastId: string | null;
  room: EncodedRoom;
}

const maxBytes = { snapshots: 32 * 1024 * 1024, pages: 16 * 1024 * 1024 };
const maxAgeMs = 60_000;

/** @param isShared whether other nodes commit, too. If so, only members who read a page at the same head share it */
export function createCatchUpCache(
  db: Database,
  { ttlMs = maxAgeMs, isShared = false } = {},
): CatchUpCache {
  const snapshots = createCache<RoomSnapshot>(maxBytes.snapshots, ttlMs, ({ room }) => room.length);
  const pages = createCache<MissedPage>(maxBytes.pages, ttlMs, ({ frame }) => frame?.length ?? 1);

  return {
    getSnapshot: (classId, seq) =>
      snapshots.get(classId, `${seq}`, async () => {
        const snapshot = await takeSnapshot(db, classId, seq);
        return { seq, lastId: snapshot.lastId, room: encodeRoom({ classId, ...snapshot }) };
      }),
    getMissedPage: (classId, position, upTo, head) =>
      pages.get(
        classId,
        `${position.seq} ${position.id} ${upTo} ${isShared ? head : ''}`,
        async () => {
          const page = await replayPage(db, classId, position, upTo);
          if (!page) return null;
          const { from, to, lastId } = page;
          const frame = from > to ? null : encodeFrame({ type: 'events', classId, ...page });
          return { to, lastId, frame };
        },
      ),
    update(classId, items) {
      snapshots.invalidate(classId);
      if (items.some(({ kind }) => kind !== 'posted')) pages.invalidate(classId);
    },
    invalidate(classId) {
      snapshots.invalidate(classId);
      pages.invalidate(classId);
    },
    clear() {
      snapshots.clear();
      pages.clear();
    },
  };
}

/** Creates a cache of values per class. Concurrent callers of the same key share one read. */
function createCache<Value extends object>(
  maxSize: number,
  ttl: number,
  measureSize: (value: Value) => number,
) {
  const keysByClass = new Map<string, Set<string>>();
  const values = new LRUCache<string, Value>({
    maxSize,
    sizeCalculation: measureSize,
    ttl,
    // Without this, an unused entry stays in memory after its ttl.
    ttlAutopurge: true,
    dispose(_, key) {
      const classId = key.slice(0, key.indexOf(' '));
      const keys = keysByClass.get(classId);
      keys?.delete(key);
      if (keys?.size === 0) keysByClass.delete(classId);
    },
  });
  const pendingReads = new Map<string, Map<string, Promise<Value | null>>>();

  async function loadOnce<Result extends Value | null>(
    classId: string,
    key: string,
    readValue: () => Promise<Result>,
  ): Promise<Result> {
    const read = readValue();
    const readsOfClass = pendingReads.get(classId) ?? new Map<string, Promise<Value | null>>();
    pendingReads.set(classId, readsOfClass.set(key, read));
    try {
      const value = await read;
      // If the class was invalidated during the read, the value is not cached.
      if (value && pendingReads.get(classId)?.get(key) === read) {
        values.set(key, value);
        keysByClass.set(classId, (keysByClass.get(classId) ?? new Set()).add(key));
      }
      return value;
    } finally {
      if (readsOfClass.get(key) === read) readsOfClass.delete(key);
      if (readsOfClass.size === 0 && pendingReads.get(classId) === readsOfClass) {
        pendingReads.delete(classId);
      }
    }
  }

  return {
    async get<Result extends Value | null>(
      classId: string,
      subkey: string,
      readValue: () => Promise<Result>,
    ): Promise<Result> {
      const key = `${classId} ${subkey}`;
      const cachedValue = values.get(key) ?? pendingReads.get(classId)?.get(key);
      return cachedValue ? ((await cachedValue) as Result) : loadOnce(classId, key, readValue);
    },
    invalidate(classId: string): void {
      for (const key of [...(keysByClass.get(classId) ?? [])]) values.delete(key);
      pendingReads.delete(classId);
    },
    clear(): void {
      values.clear();
      pendingReads.clear();
    },
  };
}
