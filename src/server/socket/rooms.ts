// Rooms as snapshots show them, encoded once for everybody who opens the same room at the same seq.
import { LRUCache } from 'lru-cache';
import { takeSnapshot } from '../domain/catch-up.ts';
import type { Database } from '../storage/database.ts';
import { encodeRoom, type EncodedRoom } from './encode-frame.ts';

export interface Rooms {
  /** The class's room at `seq`, which is the head of its log. */
  at(classId: string, seq: number): Promise<RoomAtSeq>;
  /** The class has changed: what was encoded of it may hold text that is deleted by now. */
  forget(classId: string): void;
}

export interface RoomAtSeq {
  seq: number;
  /** Of the entry at `seq`; null while the log is empty. */
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
    // Without it an entry that nobody asks for stays in memory past its time.
    ttlAutopurge: true,
  });
  const reading = new Map<string, { seq: number; found: Promise<RoomAtSeq> }>();

  /** What is forgotten while it is read is given to those who wait for it, and not kept. */
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
