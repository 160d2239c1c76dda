/** The maximum number of keys per limit. Above it, the least recently used key is forgotten. */
const maxKeys = 20_000;

/** Stores a time for each recently used key. The map is bounded and drops times that have passed. */
export function createExpiringTimes(most = maxKeys) {
  // Ordered by last use, oldest first.
  const times = new Map<string, number>();

  function forget(now: number): void {
    for (const [key, time] of times) {
      if (times.size <= most && time > now) return;
      times.delete(key);
    }
  }

  return {
    get: (key: string) => times.get(key),
    set(key: string, time: number, now: number): void {
      times.delete(key);
      times.set(key, time);
      forget(now);
    },
    get size(): number {
      return times.size;
    },
  };
}
