import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Row } from '#server/store/transfer-progress.ts';
import { createSummary, toRow, toSqlite, UnsupportedValue } from './rows.ts';
import type { ColumnType, Table } from './tables.ts';

const createColumns = (type: ColumnType) => [{ name: 'value', type }];
const toValue = (type: ColumnType, raw: unknown) => toRow(createColumns(type), [raw])[0];
const table: Table = { name: 'messages', columns: [], primaryKey: [] };

function computeDigest(rows: readonly Row[], digestedTable = table): string {
  const summary = createSummary(digestedTable);
  for (const row of rows) summary.add(row);
  return summary.result().digest;
}

describe('a value', () => {
  test('a value of SQLite is the same as the one that PostgreSQL returns [MOVE-6]', () => {
    const expectSameValue = (
      type: ColumnType,
      value: fc.Arbitrary<unknown>,
      pg: (value: never) => unknown,
    ) =>
      fc.assert(
        fc.property(value, (storedValue) => {
          expect(toValue(type, storedValue)).toEqual(toValue(type, pg(storedValue as never)));
        }),
      );
    const keepValue = (value: unknown) => value;
    expectSameValue('text', fc.string({ unit: 'grapheme' }), keepValue);
    expectSameValue('integer', fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }), keepValue);
    expectSameValue('bigint', fc.maxSafeInteger(), keepValue);
    expectSameValue(
      'bytes',
      fc.uint8Array().map((bytes) => Buffer.from(bytes)),
      keepValue,
    );
    expectSameValue('boolean', fc.constantFrom(0, 1), (value: number) => value === 1);
    const date = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(2 ** 45) });
    expectSameValue(
      'date',
      date.map((value) => value.toISOString()),
      (value: string) => new Date(value),
    );
    for (const type of ['text', 'integer', 'bigint', 'boolean', 'date', 'bytes'] as const) {
      expect(toValue(type, null)).toBeNull();
    }
  });

  test.each<[ColumnType, unknown]>([
    ['text', 'a\0'],
    ['text', 1],
    ['text', Buffer.from('a')],
    ['integer', 2 ** 31],
    ['integer', 1.5],
    ['bigint', 2 ** 53],
    ['bigint', '1'],
    ['boolean', 2],
    ['boolean', 'true'],
    ['date', ''],
    ['date', '5'],
    ['date', 5],
    ['date', new Date(Number.NaN)],
    ['date', Infinity],
    ['text', undefined],
    ['bytes', 'a'],
  ])('a value of type %s cannot be %j [MOVE-6]', (type, raw) => {
    expect(() => toValue(type, raw)).toThrow(UnsupportedValue);
  });

  test('a value has one form: a date in UTC with milliseconds, and zero without a sign [MOVE-6]', () => {
    expect(toValue('date', '2030-01-01T01:00:00+01:00')).toBe('2030-01-01T00:00:00.000Z');
    expect(Object.is(toValue('bigint', -0), 0)).toBe(true);
  });

  test('SQLite stores a boolean as a number, and bytes as they are [MOVE-6]', () => {
    const types = ['boolean', 'boolean', 'text', 'text', 'bigint', 'bytes', 'bytes'] as const;
    const columns = types.map((type, n) => ({ name: `column${n}`, type }));
    const raw = [true, false, null, 'a', 5, Buffer.from([0, 255]), null];
    expect(toSqlite(columns, toRow(columns, raw))).toEqual([1, 0, ...raw.slice(2)]);
  });
});

describe('the digest of a table', () => {
  const rows = fc.uniqueArray(
    fc.tuple(fc.integer(), fc.string(), fc.option(fc.string(), { nil: null })),
    {
      minLength: 2,
      selector: JSON.stringify,
    },
  );

  test('the digest of a table does not depend on the order of the rows [MOVE-8]', () => {
    fc.assert(
      fc.property(rows, (list) => {
        expect(computeDigest(list.toReversed())).toBe(computeDigest(list));
      }),
    );
  });

  test('the digest of a table differs if a row is missing, doubled, changed, or its values are swapped with another row [MOVE-8]', () => {
    fc.assert(
      fc.property(rows, fc.string({ minLength: 1 }), (list, suffix) => {
        const digest = computeDigest(list);
        const [first, second, ...otherRows] = list as Row[] as [Row, Row, ...Row[]];
        expect(computeDigest(list.slice(1))).not.toBe(digest);
        expect(computeDigest([...list, first])).not.toBe(digest);
        expect(
          computeDigest([[first[0]!, `${first[1]}${suffix}`, first[2]!], second, ...otherRows]),
        ).not.toBe(digest);
        if (first[0] !== second[0] && first[1] !== second[1]) {
          const swapped = [
            [second[0]!, first[1]!, first[2]!],
            [first[0]!, second[1]!, second[2]!],
          ];
          expect(computeDigest([...swapped, ...otherRows])).not.toBe(digest);
        }
        expect(computeDigest(list, { ...table, name: 'log' })).not.toBe(digest);
      }),
    );
  });
});
