// Corrupts a valid value: its fields, its text, or its bytes.
import type { Random } from '#tests/support/random.ts';
import type { Json } from './valid-values.ts';

const strange: Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 63),
  1e308,
  '',
  ' ',
  '0',
  'null',
  '\u0000',
  '\ud800',
  '\udfff\ud800',
  '\u202e\u2066evil',
  '\ufeff',
  'é\u0301'.repeat(500),
  '🧑‍🧑‍🧒‍🧒'.repeat(400),
  'x'.repeat(5000),
  '%00%ff',
  '../../etc/passwd',
  "' or 1=1 --",
  [],
  {},
  [[[[[[]]]]]],
  { $ne: null },
  { $gt: '' },
  { toString: 'x', valueOf: 'y' },
  { length: 1e9 },
  ['a', 'b'],
];
const keys = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'toJSON',
  'memberId',
  'accountId',
  'userId',
  'seq',
  'createdAt',
  'type',
  'rid',
  '',
  '$where',
];

/** Changes, removes or adds one part of the value. */
export function corrupt(value: Json, random: Random): Json {
  if (random.chance(0.25) || value === null || typeof value !== 'object') {
    return random.pick(strange);
  }
  if (Array.isArray(value)) {
    if (value.length === 0) return [random.pick(strange)];
    const place = random.int(0, value.length - 1);
    return value.map((item, n) => (n === place ? corrupt(item, random) : item));
  }
  // An object literal would not treat `__proto__` as an ordinary key.
  const corrupted = Object.create(null) as Record<string, Json>;
  for (const [key, item] of changeEntries(Object.entries(value), random)) {
    Object.defineProperty(corrupted, key, {
      value: item,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return corrupted;
}

function changeEntries(entries: [string, Json][], random: Random): [string, Json][] {
  const place = random.int(0, entries.length - 1);
  if (random.chance(0.2)) return entries.filter((_, n) => n !== place);
  if (random.chance(0.3)) return [...entries, [random.pick(keys), random.pick(strange)]];
  return entries.map(([key, item], n) => [key, n === place ? corrupt(item, random) : item]);
}

const pieces = [
  '{',
  '}',
  '[',
  ']',
  '"',
  ',',
  ':',
  '\\',
  '\\u',
  'null',
  '1e999',
  '-',
  '\u2028',
  '/**/',
  'NaN',
];

/** The value as text, mostly valid JSON. */
export function corruptText(text: string, random: Random): string {
  const place = random.int(0, text.length);
  switch (random.int(0, 6)) {
    case 0:
      return text.slice(0, place);
    case 1:
      return text.slice(0, place) + random.pick(pieces) + text.slice(place);
    case 2:
      return text.slice(0, place) + text.slice(place + random.int(1, 8));
    case 3:
      return '['.repeat(random.int(1, 10_000));
    case 4:
      return '{"a":'.repeat(random.int(1, 5000));
    case 5:
      // A parser may use the first or the last of two equal keys. Both must be handled.
      return text.replace(
        '{',
        `{"${random.pick(keys)}":${random.int(-9, 9)}e${random.int(0, 999)},`,
      );
    default:
      return text + text;
  }
}

/** The text as bytes, which may no longer be valid text. */
export function corruptBytes(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text);
  for (let n = random.int(1, 4); n > 0 && bytes.length > 0; n--) {
    bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
  }
  return bytes;
}
