// Looks for what no copy may hold: addresses, devices and the like anywhere, and ids of accounts outside of `accounts.id`.
import { listForms } from './marks.ts';
import type { StolenCopy } from './stolen-copy.ts';

/** The values of each kind, such as all addresses. */
export type Secrets = Readonly<Record<string, readonly string[]>>;

/** The only column that may hold a secret. */
const allowed = { kind: 'account id', table: 'accounts', column: 'id' };

/** A shorter value could be part of any text. */
const minLength = 8;

/** @returns 'reports.reporter: account id', or 'a dump, reports: address' for bytes that are in no column */
export function findSecrets(copy: StolenCopy, secrets: Secrets): string[] {
  const find = createFinder(secrets);
  const leaks = new Set<string>();
  const explained = new Set([`${allowed.table}: ${allowed.kind}`]);
  for (const [table, rows] of copy.tables) {
    for (const column of Object.keys(rows[0]?.values ?? {})) {
      const text = rows.map(({ values }) => toBytes(values[column]));
      for (const kind of find(Buffer.concat(text))) {
        explained.add(`${table}: ${kind}`);
        const isAllowed =
          kind === allowed.kind && table === allowed.table && column === allowed.column;
        if (!isAllowed) leaks.add(`${table}.${column}: ${kind}`);
      }
    }
  }
  for (const { file, table, bytes } of copy.regions) {
    for (const kind of find(bytes)) {
      if (explained.has(`${table}: ${kind}`)) continue;
      leaks.add(`${file}, ${table || 'no table'}: ${kind}`);
    }
  }
  return [...leaks].toSorted();
}

export function toBytes(value: unknown): Buffer {
  if (Buffer.isBuffer(value)) return value;
  const text = value instanceof Date ? value.toISOString() : JSON.stringify(value);
  return Buffer.from(typeof value === 'string' ? `${value}\n` : `${text}\n`);
}

/** The encodings of a secret as bytes. A random id is base64url, so it also has raw bytes. */
function listEncodings(secret: string): Buffer[] {
  const encodings = [...listForms(secret).values()].map((form) => Buffer.from(form, 'latin1'));
  const raw = Buffer.from(secret, 'base64url');
  if (raw.toString('base64url') === secret) {
    encodings.push(raw, ...['hex', 'base64'].map((to) => Buffer.from(raw.toString(to as 'hex'))));
  }
  return encodings.filter(({ length }) => length >= minLength);
}

/** Searches for thousands of patterns in one pass: the first three bytes tell where it must look. */
function createFinder(secrets: Secrets): (bytes: Buffer) => Set<string> {
  const starts = new Map<number, { kind: string; pattern: Buffer }[]>();
  for (const [kind, values] of Object.entries(secrets)) {
    for (const pattern of values.flatMap(listEncodings)) {
      const start = pattern.readUIntBE(0, 3);
      const list = starts.get(start) ?? [];
      starts.set(start, [...list, { kind, pattern }]);
    }
  }
  const isStart = new Uint8Array(2 ** 24);
  for (const start of starts.keys()) isStart[start] = 1;
  return (bytes) => {
    const kinds = new Set<string>();
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      start = ((start << 8) | bytes[at]!) & 0xffffff;
      if (isStart[start] !== 1 || at < 2) continue;
      for (const { kind, pattern } of starts.get(start)!) {
        if (bytes.subarray(at - 2, at - 2 + pattern.length).equals(pattern)) {
          kinds.add(kind);
        }
      }
    }
    return kinds;
  };
}
