// Caches encoded room snapshots, so that members who open a room at the same seq share one encoding.
import { LRUCache } from 'lru-cache';
import { takeSnapshot } from '../domain/catch-up.ts';
import type { Database } from '../storage/database.ts';
import { encodeRoom, type EncodedRoom } from './encode-frame.ts';

export interface Rooms {
  /** Returns the class's room at `seq`, which must be the head of its log. */
  at(classId: string, seq: number): Promise<RoomAtSeq>;
  /** Drops the cached room of a changed class, because it may contain deleted text. */
  forget(classId: string): void;
}

export interface RoomAtSeq {
  seq: number;
  /** The id of the entry at `seq`; null if the log is empty. */
  lastId: string | null;
  room: EncodedRoom;
}

const maxBytes = 32 * 1024 * 1024;
const keptForMs = 60_000; // WIRE-19

export function createRooms(db: Database, ttlMs = keptForMs): Rooms {
  const encoded = new LRUCache<string, RoomAtSeq>({
    maxSize: maxBytes,
    sizeCalculation: ({ room }) => room.length,
    ttl: ttlMs,
    // Without this, an unused entry stays in memory after its ttl.
    ttlAutopurge: true,
  });
  const reading = new Map<string, { seq: number; found: Promise<RoomAtSeq> }>();

  /** If the class is forgotten during the read, its callers get the result but it is not cached. */
  async function read(classId: string, seq: number): Promise<RoomAtSeq> {
    const own = { seq, found: encode(classId, seq) };
    reading.set(classId, own);
    try {
      const found = await own.found;
      if (reading.get(classId) === own) encoded.set(classId, found);
      return found;
    } finally {
      if (reading.get(classId) === own) reading.delete(classId);
    }
  }

  async function encode(classId: string, seq: number): Promise<RoomAtSeq> {
    const snapshot = await takeSnapshot(db, classId, seq);
    return { seq, lastId: snapshot.lastId, room: encodeRoom({ classId, ...snapshot }) };
  }

  return {
    async at(classId, seq) {
      const known = encoded.get(classId);
      if (known?.seq === seq) return known;
      const begun = reading.get(classId);
      return begun?.seq === seq ? begun.found : read(classId, seq);
    },
    forget(classId) {
      encoded.delete(classId);
      reading.delete(classId);
    },
  };
}
