// A class over weeks, and an attacker with copies of the database, but without the server's key, who compares everything
// that the rows of accounts tell of days with the days on which personas wrote.
import { randomUUID } from 'node:crypto';
import { vi } from 'vitest';
import { compareText } from '#contract/text-order.ts';
import { chooseNotifications, saveSettings } from '#tests/support/notifications.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { shuffle } from './school.ts';

type Row = Record<string, unknown>;
/** All rows, by table name. */
export type Copy = Record<string, Row[]>;

const dayMs = 24 * 60 * 60_000;
const startedAt = Math.floor(Date.now() / dayMs) * dayMs;
const patience = { timeout: 30_000, interval: 5 };

/** @returns 09:00 on this day of the simulation */
const toMorning = (day: number) => startedAt + day * dayMs + 9 * 60 * 60_000;

export interface Student {
  /** The day of sign-up and of joining. */
  joins: number;
  /** The days on which the student uses the app and writes. */
  writes: readonly number[];
}

/** Account ids to memberIds. */
export type Truth = ReadonlyMap<string, string>;

export interface Weeks {
  truth: Truth;
  /** One for each day on which the server was restarted. */
  copies: Copy[];
}

/**
 * @param from the first day with a copy; the server is restarted on each such day, so that its daily work is done
 * @param until the day after the last one
 */
export async function runDays(
  app: RunningApp,
  students: readonly Student[],
  { from, endDay }: { from: number; endDay: number },
): Promise<Weeks> {
  vi.setSystemTime(toMorning(0));
  const owner = await app.createStudent();
  const classId = await owner.createClass();
  const clients = new Map<Student, TestClient>();
  const copies: Copy[] = [];
  for (let day = 0; day < endDay; day++) {
    if (day >= from) await app.restart(async () => void vi.setSystemTime(toMorning(day)));
    else vi.setSystemTime(toMorning(day));
    if (day >= from) await waitUntilResealed(app, startedAt / dayMs + day);
    for (const student of shuffle(students)) {
      if (student.joins === day) {
        // Random names have no order, unlike the default ones.
        const client = await app.createStudent(`student-${randomUUID()}`);
        await client.join(classId);
        clients.set(student, client);
      }
      if (student.writes.includes(day)) await visit(clients.get(student)!, classId, day);
    }
    if (day >= from) copies.push(await app.database.tables());
  }
  return { truth: await findTruth(app, classId, [...clients.values()]), copies };
}

async function visit(client: TestClient, classId: string, day: number): Promise<void> {
  // The page asks this first, which renews the session.
  await client.call('me', {});
  await client.post(classId, `Day ${day}`);
  await chooseNotifications(client, classId, day % 2 === 0 ? 'all' : 'mentions');
  await saveSettings(client, { showText: day % 2 === 0 });
}

/** @param day since 1970 */
export async function waitUntilResealed(app: RunningApp, day: number): Promise<void> {
  const sql = `select value from "serverMetadata" where name = 'accountsResealedOn'`;
  await vi.waitUntil(
    async () => (await app.database.query(sql))[0]?.['value'] === String(day),
    patience,
  );
}

async function findTruth(
  app: RunningApp,
  classId: string,
  clients: readonly TestClient[],
): Promise<Truth> {
  const accounts = await app.database.query('select id, email from accounts');
  const idsByEmail = new Map(accounts.map(({ id, email }) => [String(email), String(id)]));
  const truth = new Map<string, string>();
  for (const client of clients) {
    const { me } = await client.snapshot(classId);
    truth.set(idsByEmail.get(client.email)!, me.memberId);
  }
  return truth;
}

/** What a copy tells of each account or persona: a list of numbers each. */
type Signal = ReadonlyMap<string, readonly number[]>;

/** The days on which the personas wrote: the first, the last, how often, and all of them. */
function toSignalsOfPersonas(copy: Copy): Record<string, Signal> {
  const days = Map.groupBy(copy['messages']!, ({ memberId }) => String(memberId));
  const createSignal = (select: (days: number[]) => number[]): Signal =>
    new Map(
      [...days].map(([id, rows]) => [
        id,
        select(
          rows.map(({ createdAt }) => Math.floor(Number(createdAt) / dayMs) - startedAt / dayMs),
        ),
      ]),
    );
  return {
    'first day': createSignal((postedDays) => [Math.min(...postedDays)]),
    'last day': createSignal((postedDays) => [Math.max(...postedDays)]),
    'number of messages': createSignal((postedDays) => [postedDays.length]),
  };
}

/** The rows that name the account, of each table. */
function listRows(copy: Copy, accountId: string): Record<string, Row[]> {
  return Object.fromEntries(
    Object.entries(copy).map(([table, rows]) => [
      table,
      rows.filter((row) => Object.values(row).includes(accountId)),
    ]),
  );
}

/** A number that has the order of the values. */
function toNumber(value: unknown): number {
  if (value === null || value === undefined) return -1;
  if (value instanceof Date) return value.getTime();
  if (/^-?\d+$/.test(String(value))) return Number(value);
  const date = Date.parse(String(value));
  if (!Number.isNaN(date)) return date;
  // The first six bytes.
  return Number.parseInt(`0${Buffer.from(String(value)).toString('hex', 0, 6)}`, 16);
}

/** Lists for each column its largest value in the rows of each account, the sum of its lengths, the number of rows and their places. */
function toSignalsOfCopy(copy: Copy, accountIds: readonly string[]): Record<string, Signal> {
  const signals: Record<string, Map<string, number[]>> = {};
  const add = (name: string, id: string, value: number) => {
    (signals[name] ??= new Map()).set(id, [value]);
  };
  for (const id of accountIds) {
    for (const [table, rows] of Object.entries(listRows(copy, id))) {
      add(`${table}: number of rows`, id, rows.length);
      if (rows.length === 0) continue;
      add(`${table}: place`, id, copy[table]!.indexOf(rows[0]!));
      for (const column of Object.keys(rows[0]!)) {
        const values = rows.map((row) => row[column]);
        add(`${table}.${column}`, id, Math.max(...values.map(toNumber)));
        const lengths = values.map((value) => String(value).length);
        add(`${table}.${column}: length`, id, Math.max(...lengths));
      }
    }
  }
  return signals;
}

/** Lists for each column on which days it changed in a row of the account. Rows that come and go count for their table. */
function toSignalsOfChanges(
  copies: readonly Copy[],
  accountIds: readonly string[],
): Record<string, Signal> {
  const signals: Record<string, Map<string, number[]>> = {};
  const add = (name: string, id: string, hasChanged: boolean) => {
    const signal = (signals[name] ??= new Map());
    signal.set(id, [...(signal.get(id) ?? []), hasChanged ? 1 : 0]);
  };
  for (const id of accountIds) {
    const ofCopies = copies.map((copy) => listRows(copy, id));
    for (const [n, now] of ofCopies.entries()) {
      const tablesBefore = ofCopies[n - 1];
      if (!tablesBefore) continue;
      for (const [table, rows] of Object.entries(now)) {
        add(`${table}: rows come or go`, id, rows.length !== tablesBefore[table]!.length);
        for (const column of Object.keys(copies[0]![table]?.[0] ?? {})) {
          const values = [rows, tablesBefore[table]!].map((tableRows) =>
            JSON.stringify(tableRows.map((row) => String(row[column])).toSorted(compareText)),
          );
          add(`${table}.${column}: changes`, id, values[0] !== values[1]);
        }
      }
    }
  }
  return signals;
}

export interface Attempt {
  way: string;
  /** How much better than chance the pairs fit, in standard deviations over all possible pairings. */
  strength: number;
  /** How many accounts are paired correctly if each gets the persona that fits best. */
  hits: number;
}

/** Less than one in a million attempts exceeds these by chance. */
const maxChance = { strength: 5, hits: 8 };

/** What one copy tells. */
export function attackCopy(copy: Copy, truth: Truth): Attempt[] {
  const accounts = Object.entries(toSignalsOfCopy(copy, [...truth.keys()]));
  const personas = Object.entries(toSignalsOfPersonas(copy));
  return accounts.flatMap(([way, signal]) =>
    personas.flatMap(([name, other]) =>
      Object.entries(fits).map(([fit, compare]) =>
        attempt(`${way}, ${name}, ${fit}`, signal, other, truth, compare),
      ),
    ),
  );
}

type Compare = (ones: Vectors, others: Vectors) => (one: number, other: number) => number;
/** The numbers of each account or persona. */
type Vectors = readonly (readonly number[])[];

/** Ways to compare two lists of single numbers. */
const fits: Record<string, Compare> = {
  'by order': (accountSeries, personaSeries) => {
    const first = toRanks(accountSeries);
    const second = toRanks(personaSeries);
    return (account, persona) => -((first[account]! - second[persona]!) ** 2);
  },
  'on the same day': (accountSeries, personaSeries) => (account, persona) =>
    Number(toDay(accountSeries[account]![0]!) === personaSeries[persona]![0]! + startedAt / dayMs),
  '30 days later': (accountSeries, personaSeries) => (account, persona) =>
    Number(
      toDay(accountSeries[account]![0]!) === personaSeries[persona]![0]! + startedAt / dayMs + 30,
    ),
};

/** Days since 1970, whichever unit a column has. */
function toDay(value: number): number {
  return Math.abs(value) > 1e9 ? Math.floor(value / dayMs) : value;
}

/** What the differences of daily copies tell. */
export function attackChanges(copies: readonly Copy[], truth: Truth, from: number): Attempt[] {
  const accounts = toSignalsOfChanges(copies, [...truth.keys()]);
  const active = new Map(
    [...truth.values()].map((memberId) => {
      const memberRows = copies.at(-1)!['messages']!.filter((row) => row['memberId'] === memberId);
      const days = memberRows.map((row) => Math.floor(Number(row['createdAt']) / dayMs));
      const first = startedAt / dayMs + from;
      return [memberId, copies.slice(1).map((_, n) => Number(days.includes(first + n + 1)))];
    }),
  );
  return Object.entries(accounts).map(([way, signal]) =>
    attempt(way, signal, active, truth, correlate),
  );
}

/** What changes with messages, which have times, or is one for all. */
const harmless = /^(classes|messages|log|personas|serverMetadata|leases|changeEvents|kysely_.*)$/;

/**
 * The columns in which rows of one table change on different days. Whoever has class lists can compare these days with those on
 * which people are active, whatever the rows are named after.
 */
export function listColumnsWithDays(copies: readonly Copy[]): string[] {
  return Object.keys(copies[0]!).flatMap((table) => {
    if (harmless.test(table)) return [];
    const rowsByCopy = copies.map((copy) => indexRows(copies, copy[table]!, table));
    const keys = [...rowsByCopy[0]!.keys()].filter((key) =>
      rowsByCopy.every((rows) => rows.has(key)),
    );
    return Object.keys(copies[0]![table]![0] ?? {}).flatMap((column) => {
      const getValue = (n: number, key: string) => String(rowsByCopy[n]!.get(key)![column]);
      const changes = keys.map((key) =>
        copies.slice(1).map((_, n) => Number(getValue(n, key) !== getValue(n + 1, key))),
      );
      return new Set(changes.map(String)).size > 1 ? [`${table}.${column}`] : [];
    });
  });
}

/** The rows by their key: the first columns of a table that are unique in each copy. */
function indexRows(copies: readonly Copy[], rows: readonly Row[], table: string): Map<string, Row> {
  const toKey = (row: Row, length: number) => String(Object.values(row).slice(0, length));
  const isUnique = (length: number) =>
    copies.every(
      ({ [table]: all = [] }) => new Set(all.map((row) => toKey(row, length))).size === all.length,
    );
  let length = 1;
  while (!isUnique(length)) length++;
  return new Map(rows.map((row) => [toKey(row, length), row]));
}

/** The place of each value among all, from −0.5 to 0.5. Equal values share one. */
function toRanks(vectors: Vectors): number[] {
  const values = vectors.map(([value = 0]) => value);
  const sortedValues = values.toSorted((a, b) => a - b);
  return values.map((value) => {
    const place = (sortedValues.indexOf(value) + sortedValues.lastIndexOf(value)) / 2;
    return place / Math.max(1, sortedValues.length - 1) - 0.5;
  });
}

/** How well the true pairs fit, compared with all other ways to pair the same accounts and personas. */
function attempt(
  way: string,
  accounts: Signal,
  personas: Signal,
  truth: Truth,
  compare: Compare,
): Attempt {
  const pairs = [...truth].filter(([id, memberId]) => accounts.has(id) && personas.has(memberId));
  const n = pairs.length;
  if (n < 3) return { way, strength: 0, hits: 0 };
  const compareFit = compare(
    pairs.map(([id]) => accounts.get(id)!),
    pairs.map(([, memberId]) => personas.get(memberId)!),
  );
  const fit = pairs.map((_, account) => pairs.map((__, persona) => compareFit(account, persona)));
  const calculateMean = (values: readonly number[]) =>
    values.reduce((sum, value) => sum + value, 0) / n;
  const rowMeans = fit.map(calculateMean);
  const columnMeans = pairs.map((_, column) => calculateMean(fit.map((row) => row[column]!)));
  const all = calculateMean(rowMeans);
  const centered = fit.map((row, i) =>
    row.map((value, j) => value - rowMeans[i]! - columnMeans[j]! + all),
  );
  const variance = centered.flat().reduce((sum, value) => sum + value ** 2, 0) / (n - 1);
  if (variance < 1e-12) return { way, strength: 0, hits: 0 };
  const total = centered.reduce((sum, row, i) => sum + row[i]!, 0);
  const hits = fit.filter((row, i) => findBestDoc(row) === i).length;
  return { way, strength: Math.abs(total) / Math.sqrt(variance), hits };
}

/** Finds the best fit, or any of equally good ones. */
function findBestDoc(row: readonly number[]): number {
  const bestFit = Math.max(...row);
  const candidates = row.flatMap((value, n) => (value > bestFit - 1e-9 ? [n] : []));
  return shuffle(candidates)[0]!;
}

/** The correlation of two lists of days. */
const correlate: Compare = (accountSeries, personaSeries) => {
  const first = accountSeries.map(standardize);
  const second = personaSeries.map(standardize);
  return (account, persona) =>
    first[account]!.reduce((sum, value, n) => sum + value * second[persona]![n]!, 0);
};

function standardize(list: readonly number[]): number[] {
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  const centered = list.map((value) => value - mean);
  const length = Math.hypot(...centered);
  return centered.map((value) => (length === 0 ? 0 : value / length));
}

/** Describes the attempts that chance does not explain. */
export function describeSuccesses(attempts: readonly Attempt[]): string[] {
  return attempts
    .filter(({ strength, hits }) => strength > maxChance.strength || hits > maxChance.hits)
    .map(({ way, strength, hits }) => `${way}: ${strength.toFixed(1)}, ${hits} pairs`);
}
