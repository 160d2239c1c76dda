import { LRUCache } from 'lru-cache';

/** A map that drops the entry that was used least recently when it has too many. */
export type RecentMap<Value extends object | string | true> = LRUCache<string, Value>;

/** @param ttlMs for how long an entry stays; 0 means without an end */
export function createRecentMap<Value extends object | string | true>(
  maxEntries: number,
  ttlMs = 0,
): RecentMap<Value> {
  // For `max`, lru-cache immediately reserves the memory of all entries: megabytes, and much of a server's start.
  return new LRUCache({ maxSize: maxEntries, sizeCalculation: () => 1, ttl: ttlMs });
}
