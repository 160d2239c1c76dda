// The output that one observer got, without random values and times, so that two runs can be compared.

/** Random values by their placeholder: ids of the class and of members. */
export type Names = ReadonlyMap<string, string>;

const times = new Set([
  ...['createdAt', 'editedAt', 'serverTime', 'retryAfterMs', 'processingTimeMS'],
  ...['effectiveAt', 'until', 'at', 'closesAt'],
]);
/** Fields with random values: a log entry's id, the epoch, the observer's own key. */
const tokens = new Set([
  'lastId',
  'epoch',
  'account',
  'key',
  'hash',
  'sanctionId',
  'reviewId',
  'suspensionId',
]);
/** Which icon of a member is free depends on random ids (PERSONA-30). */
const chosenByServer = /\.[12]$/;
const headersOfTime = new Set(['date', 'set-cookie']);

/** @param value the received JSON */
export function normalize(value: unknown, names: Names, field = ''): unknown {
  if (times.has(field) && typeof value === 'number') return 'a time';
  if (typeof value === 'string') {
    if (tokens.has(field) || (field === 'id' && value.length === 8)) return 'a token';
    const text = [...names].reduce((part, [id, name]) => part.replaceAll(id, name), value);
    return field === 'icon' ? text.replace(chosenByServer, '') : text;
  }
  if (Array.isArray(value)) {
    const list = value.map((item) => normalize(item, names));
    // The order of random ids is random.
    return list.every(
      (item) => typeof item === 'object' && item !== null && 'memberId' in item && !('seq' in item),
    )
      ? list.toSorted((item, otherItem) =>
          JSON.stringify(item) < JSON.stringify(otherItem) ? -1 : 1,
        )
      : list;
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, fieldValue]) => [
    normalize(key, names),
    normalize(fieldValue, names, key),
  ]);
  return Object.fromEntries(
    (fields as [string, unknown][]).toSorted(([name], [otherName]) => (name < otherName ? -1 : 1)),
  );
}

export function normalizeHeaders(headers: Headers, names: Names): unknown {
  return [...headers]
    .filter(([name]) => !headersOfTime.has(name))
    .map((pair) => normalize(pair, names));
}
