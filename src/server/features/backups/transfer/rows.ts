// Rows in the form that is the same for both engines, and the digest of a table's rows in that form.
import { hash } from 'node:crypto';
import type { Row, TableSummary, Value } from '#server/store/transfer-progress.ts';
import type { Column, ColumnType, Table } from './tables.ts';

/** A value that its column cannot have. SQLite stores any value in any column, and PostgreSQL no NUL characters. */
export class UnsupportedValue extends Error {
  override name = 'UnsupportedValue';
  readonly column: string;

  constructor(column: string) {
    super(`Column ${column} has a value that cannot be copied.`);
    this.column = column;
  }
}

const isoDate = /^[+-]?\d{4,6}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/;
const maxInteger = 2 ** 31 - 1;

/** A parser for each type. It returns null if the column cannot have the value. */
const parsers: Record<ColumnType, (raw: unknown) => Value> = {
  text: (raw) => (typeof raw === 'string' && !raw.includes('\0') ? raw : null),
  integer: (raw) =>
    Number.isInteger(raw) && Math.abs(raw as number) <= maxInteger ? (raw as number) : null,
  bigint: (raw) => (Number.isSafeInteger(raw) ? (raw as number) : null),
  boolean(raw) {
    if (typeof raw === 'boolean') return raw;
    return raw === 0 || raw === 1 ? raw === 1 : null;
  },
  date(raw) {
    const isDate = raw instanceof Date || (typeof raw === 'string' && isoDate.test(raw));
    const date = new Date(isDate ? raw : Number.NaN);
    return Number.isNaN(date.getTime()) ? null : date.toISOString();
  },
  // As PostgreSQL writes bytes in a text.
  bytes: (raw) => (Buffer.isBuffer(raw) ? `\\x${raw.toString('hex')}` : null),
};

/** @throws {UnsupportedValue} */
export function toRow(columns: readonly Column[], raw: readonly unknown[]): Row {
  return columns.map(({ name, type }, n) => {
    const value = raw[n];
    if (value === null) return null;
    const canonical = parsers[type](value);
    // Minus zero has another text than zero.
    if (canonical === 0) return 0;
    if (canonical === null) throw new UnsupportedValue(name);
    return canonical;
  });
}

/** SQLite has no booleans, and binds bytes as a buffer. */
export function toSqlite(
  columns: readonly Column[],
  row: Row,
): (string | number | Buffer | null)[] {
  return row.map((value, n) => {
    if (columns[n]?.type === 'bytes' && value !== null) {
      return Buffer.from(String(value).slice(2), 'hex');
    }
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

/** Counts and digests the rows of a table. */
export function createSummary({ name }: Table): { add(row: Row): void; result(): TableSummary } {
  let rows = 0;
  let sum = 0n;
  return {
    add(row) {
      rows += 1;
      sum += BigInt(`0x${hash('sha256', JSON.stringify([name, ...row]), 'hex')}`);
    },
    result: () => ({ rows, digest: BigInt.asUintN(256, sum).toString(16).padStart(64, '0') }),
  };
}

export function isSameSummary(summary?: TableSummary, other?: TableSummary): boolean {
  return !!summary && summary.rows === other?.rows && summary.digest === other.digest;
}
