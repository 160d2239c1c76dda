/** The most recently used values. lru-cache would weigh 5 kB more. */
export function createCache<Key, Value>(maxSize: number) {
  // A Map iterates in the order of insertion, so its first key is the least recently used one.
  const entries = new Map<Key, { value: Value }>();
  return {
    get(key: Key, compute: () => Value): Value {
      const entry = entries.get(key) ?? { value: compute() };
      entries.delete(key);
      entries.set(key, entry);
      const [oldest] = entries.size > maxSize ? entries.keys() : [];
      if (oldest !== undefined) entries.delete(oldest);
      return entry.value;
    },
  };
}
