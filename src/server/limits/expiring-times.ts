/** Keys of one limit: past this, the one that was used longest ago is forgotten. */
const maxKeys = 20_000;

/** A time for each of the keys used last: bounded, whatever anybody sends, and without what has passed. */
export function createExpiringTimes(most = maxKeys) {
  // In the order of their last use, the oldest first.
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
