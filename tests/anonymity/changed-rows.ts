// What an act changes in the database, without the values: tables, columns and sizes.
import { toBytes } from './find-secrets.ts';

type Row = Readonly<Record<string, unknown>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;

/** Written in the background, or with every commit. Mails go when they are sent; each has the same size. */
const background = new Set([
  'leases',
  'commitReceipts',
  'changeEvents',
  'searchIndexQueue',
  'outgoingMails',
]);

/** Tables without a class whose rows stand for no account. Any other table without a class is on the side of the accounts. */
const ofNobody = new Set([
  'serverMetadata',
  'auditLog',
  'reportCounts',
  'unmaskingHistory',
  'ltiUsedTokens',
  'outsideReports',
]);

export interface ChangedRow {
  table: string;
  side: 'account' | 'class' | 'none';
  /** 'memberCount 1, version 24', or 'added' and 'removed' before the columns of a row that came or went. */
  columns: string;
}

/**
 * @param classIds the classes of the act: rows of other old classes change in the background
 */
export function listChangedRows(
  tablesBefore: Tables,
  tablesAfter: Tables,
  classIds: readonly string[],
): ChangedRow[] {
  const oldClassIds = new Set(tablesBefore['classes']!.map(({ classId }) => classId));
  const isOfAct = (row: Row) => {
    const named = Object.values(row).filter((value) => oldClassIds.has(value));
    return named.length === 0 || named.some((classId) => classIds.includes(String(classId)));
  };
  return Object.keys(tablesAfter).flatMap((table) => {
    if (background.has(table)) return [];
    const known = new Map(tablesBefore[table]!.map((row) => [JSON.stringify(row), row]));
    const now = new Map(tablesAfter[table]!.map((row) => [JSON.stringify(row), row]));
    const gone = [...known].filter(([text, row]) => !now.has(text) && isOfAct(row));
    const added = [...now].filter(([text, row]) => !known.has(text) && isOfAct(row));
    const side = findSide(table, [...now.values(), ...known.values()][0]);
    return describe(
      gone.map(([, row]) => row),
      added.map(([, row]) => row),
    ).map((columns) => ({ table, side, columns }));
  });
}

function findSide(table: string, row: Row | undefined): ChangedRow['side'] {
  if (ofNobody.has(table)) return 'none';
  return row && 'classId' in row ? 'class' : 'account';
}

/** Pairs each row that is new with the most similar one that is gone: these are one row that has changed. */
function describe(gone: readonly Row[], added: readonly Row[]): string[] {
  const rest = new Set(gone);
  const descriptions = added.map((row) => {
    const listChanged = (other: Row) =>
      Object.keys(row).filter((column) => String(row[column]) !== String(other[column]));
    const [partner] = [...rest]
      .filter((other) => listChanged(other).length <= Object.keys(row).length / 2)
      .toSorted((a, b) => listChanged(a).length - listChanged(b).length);
    if (!partner) return `added ${describeSizes(row, Object.keys(row))}`;
    rest.delete(partner);
    return describeSizes(row, listChanged(partner));
  });
  return [
    ...descriptions,
    ...[...rest].map((row) => `removed ${describeSizes(row, Object.keys(row))}`),
  ];
}

const describeSizes = (row: Row, columns: readonly string[]) =>
  columns.map((column) => `${column} ${measure(row[column])}`).join(', ');

/** A number has the digits that it needs: only whether there is one. */
function measure(value: unknown): number | null {
  if (value === null || typeof value === 'number') return value === null ? null : 0;
  return /^\d{1,15}$/.test(String(value)) ? 0 : toBytes(value).length;
}
