// Caches the encoded data of catching up: members who open a room at the same seq share its snapshot, and members
// who missed the same changes share their pages.
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
   * @param head of the log, as the caller has just read it
   */
  getMissedPage(
    classId: string,
    position: Position,
    upTo: number,
    head: number,
  ): Promise<MissedPage | null>;
  /** Drops what a commit made stale: after new messages only the snapshot, after any other change all pages too. */
  update(classId: string, items: readonly LogItem[]): void;
  /** Drops everything of a class, because it may contain deleted text. */
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
const maxAgeMs = 60_000; // WIRE-19

/** @param isShared other nodes commit, too: a page then only serves members who read it at the same head */
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

/** A cache of values per class. Concurrent callers of the same key share one read. */
function createCache<Value extends object>(
  maxSize: number,
  ttl: number,
  measureSize: (value: Value) => number,
) {
  const keysOf = new Map<string, Set<string>>();
  const cached = new LRUCache<string, Value>({
    maxSize,
    sizeCalculation: measureSize,
    ttl,
    // Without this, an unused entry stays in memory after its ttl.
    ttlAutopurge: true,
    dispose(_, key) {
      const classId = key.slice(0, key.indexOf(' '));
      const keys = keysOf.get(classId);
      keys?.delete(key);
      if (keys?.size === 0) keysOf.delete(classId);
    },
  });
  const pendingReads = new Map<string, Map<string, Promise<Value | null>>>();

  async function queryOnce<Found extends Value | null>(
    classId: string,
    key: string,
    readValue: () => Promise<Found>,
  ): Promise<Found> {
    const read = readValue();
    const readsOfClass = pendingReads.get(classId) ?? new Map<string, Promise<Value | null>>();
    pendingReads.set(classId, readsOfClass.set(key, read));
    try {
      const value = await read;
      // A value of a class that was invalidated during the read goes to its callers only.
      if (value && pendingReads.get(classId)?.get(key) === read) {
        cached.set(key, value);
        keysOf.set(classId, (keysOf.get(classId) ?? new Set()).add(key));
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
    async get<Found extends Value | null>(
      classId: string,
      subkey: string,
      readValue: () => Promise<Found>,
    ): Promise<Found> {
      const key = `${classId} ${subkey}`;
      const cachedValue = cached.get(key) ?? pendingReads.get(classId)?.get(key);
      return cachedValue ? ((await cachedValue) as Found) : queryOnce(classId, key, readValue);
    },
    invalidate(classId: string): void {
      for (const key of [...(keysOf.get(classId) ?? [])]) cached.delete(key);
      pendingReads.delete(classId);
    },
    clear(): void {
      cached.clear();
      pendingReads.clear();
    },
  };
}
