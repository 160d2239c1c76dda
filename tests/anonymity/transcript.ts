// What one observer got, freed of what is random or a time, so that two runs can be laid side by side.

/** Random things by the name that stands for them: ids of the class, of members. */
export type Names = ReadonlyMap<string, string>;

const times = new Set(['createdAt', 'editedAt', 'retryAfterMs', 'processingTimeMS']);
/** Random by what they are: an entry's id in the log, the history's epoch, the observer's own key. */
const tokens = new Set(['lastId', 'epoch', 'account', 'key']);
const headersOfTime = new Set(['date', 'set-cookie']);

/** @param value JSON as it came */
export function normalise(value: unknown, names: Names, field = ''): unknown {
  if (times.has(field) && typeof value === 'number') return 'a time';
  if (typeof value === 'string') {
    if (tokens.has(field) || (field === 'id' && value.length === 8)) return 'a token';
    return [...names].reduce((text, [id, name]) => text.replaceAll(id, name), value);
  }
  if (Array.isArray(value)) {
    const list = value.map((one) => normalise(one, names));
    // The order of random ids is random.
    return list.every(
      (one) => typeof one === 'object' && one !== null && 'memberId' in one && !('seq' in one),
    )
      ? list.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
      : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, of]) => [
    normalise(key, names),
    normalise(of, names, key),
  ]);
  return Object.fromEntries(
    (fields as [string, unknown][]).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}

export function normaliseHeaders(headers: Headers, names: Names): unknown {
  return [...headers]
    .filter(([name]) => !headersOfTime.has(name))
    .map((pair) => normalise(pair, names));
}
