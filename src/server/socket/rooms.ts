// Rooms as snapshots show them, encoded once for everybody who opens the same room at the same seq.
import { LRUCache } from 'lru-cache';
import { takeSnapshot } from '../domain/catch-up.ts';
import type { Reader } from '../storage/database.ts';
import { encodeRoom, type EncodedRoom } from './encode-frame.ts';

export interface Rooms {
  /** The class's room at `seq`, which is the head of its log. */
  at(classId: string, seq: number): Promise<EncodedRoom>;
}

const mostBytes = 32 * 1024 * 1024;
/** A room that nobody opens is not kept: what was deleted from it since would be in it still. */
const keptMs = 60_000;

export function createRooms(db: Reader): Rooms {
  const encoded = new LRUCache<string, { seq: number; room: EncodedRoom }>({
    maxSize: mostBytes,
    sizeCalculation: ({ room }) => room.length,
    ttl: keptMs,
  });
  return {
    async at(classId, seq) {
      const known = encoded.get(classId);
      if (known?.seq === seq) return known.room;
      const room = encodeRoom({ classId, ...(await takeSnapshot(db, classId, seq)) });
      encoded.set(classId, { seq, room });
      return room;
    },
  };
}
