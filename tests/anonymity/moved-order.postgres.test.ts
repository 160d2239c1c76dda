// A school moves from SQLite to PostgreSQL, or is backed up from PostgreSQL. An attacker with the tables or the file, but
// without the server's key, compares orders, transactions and places before any server has started on them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createTwoEngines, type TwoEngines } from '#tests/support/two-engines.ts';
import { campusSettings, fillCampus, toRegistrar, type Campus } from './campus.ts';
import { attackAsRegistrar, listSuccesses } from './registrar.ts';
import { fillSchool, shuffle, type PopulatedClass } from './school.ts';
import { listLeaves } from './sqlite-pages.ts';
import { steal } from './steal.ts';

// The last test changes the rows that the others look at.
describe('a school that moved', { shuffle: false }, () => {
  let engines: TwoEngines;
  let campus: Campus;
  beforeAll(async () => {
    engines = await createTwoEngines();
    const app = await startApp(campusSettings, engines.folder);
    campus = await fillCampus(app);
    await app.close();
    const { code, output } = await runCommand('migrate-to-postgres', [], engines.moved());
    if (code !== 0) throw new Error(output);
  });
  afterAll(() => engines.drop());

  test('a school that moved to PostgreSQL pairs no account with a persona [MOVE-9, ANON-6, ANON-28]', async () => {
    const strengths = attackAsRegistrar(await steal(engines.postgres), toRegistrar(campus));
    expect(listSuccesses(strengths)).toEqual([]);
  });

  /** The rows of a table in the order of their places: their page, their rank by key and their transaction. */
  async function listPlaces(table: string) {
    const { query } = engines.postgres;
    const keys = await query(
      `select attname from pg_index join pg_attribute on attrelid = indrelid and attnum = any(indkey)
       where indrelid = '"${table}"'::regclass and indisprimary order by array_position(indkey::int2[], attnum)`,
    );
    // SQLite compares the bytes of texts.
    const ordered = keys.map(({ attname }) => {
      const column = `"${String(attname)}"`;
      return `(case when pg_typeof(${column})::text = 'text' then ${column}::text end) collate "C", (case when pg_typeof(${column})::text <> 'text' then ${column}::text::numeric end)`;
    });
    const rows = await query(
      `select (ctid::text::point)[0] as page, row_number() over (order by ${ordered.join(', ')}) as rank, xmin::text as writer
       from "${table}" order by ctid`,
    );
    return rows.map(({ page, rank, writer }) => ({
      page: Number(page),
      rank: Number(rank),
      writer: String(writer),
    }));
  }

  /**
   * PostgreSQL appends a row to the newest page, or to an older one with enough space left by a larger row. So the rows of
   * each page, and the first rows of the pages, are in the order of insertion; all rows together need not be.
   */
  function isInKeyOrder(rows: Awaited<ReturnType<typeof listPlaces>>): boolean {
    const pages = Object.values(Object.groupBy(rows, ({ page }) => page)).map((ofPage = []) =>
      ofPage.map(({ rank }) => rank),
    );
    return [...pages, pages.map(([first = 0]) => first)].every((ranks) =>
      ranks.every((rank, n) => n === 0 || rank > ranks[n - 1]!),
    );
  }

  test('a school that moved has the rows of each table in the order of their keys [MOVE-9]', async () => {
    const tables = Object.keys(await engines.postgres.tables()).filter(
      (name) => !name.startsWith('kysely_'),
    );
    const writers = new Map<string, string>();

    for (const table of tables) {
      const rows = await listPlaces(table);
      expect(isInKeyOrder(rows), table).toBe(true);
      for (const { writer } of rows) {
        expect(writers.get(writer) ?? table, 'the table of the transaction').toBe(table);
        writers.set(writer, table);
      }
    }

    expect(writers.size).toBeGreaterThan(10);
  });

  test('rows in another order are found [MOVE-9]', async () => {
    for (const { accountId } of campus.students) {
      await engines.postgres.query(
        `update accounts set "mailboxKey" = "mailboxKey" where id = '${accountId}'`,
      );
    }

    expect(isInKeyOrder(await listPlaces('accounts'))).toBe(false);
  });
});

describe('a backup of PostgreSQL', () => {
  const app = setUpApp();
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'backchannel-order-'));
  });
  afterAll(() => rmSync(dir, { recursive: true }));

  async function listBackupLeaves(name: string) {
    const file = join(dir, name);
    expect(await runCommand('backup', [file], app.database.settings)).toMatchObject({ code: 0 });
    return { file, leaves: listLeaves(readFileSync(file)) };
  }

  test('a backup of PostgreSQL has its rows in the order of their keys, whatever their order in PostgreSQL is [BACKUP-9, ANON-28]', async () => {
    const [{ truth }] = (await fillSchool(app)) as [PopulatedClass];
    await app.close();

    const { file, leaves } = await listBackupLeaves('first');
    const copyFile = join(dir, 'again');
    const database = new SQLite(file);
    database.prepare('vacuum into ?').run(copyFile);
    database.close();
    expect(leaves).toEqual(listLeaves(readFileSync(copyFile)));

    const personas = shuffle(truth.values());
    for (const id of personas) {
      await app.database.query(`update personas set icon = icon where "memberId" = '${id}'`);
    }
    expect((await listBackupLeaves('second')).leaves).toEqual(leaves);
    expect([...leaves.values()].flat().some(({ content }) => content.includes(personas[0]!))).toBe(
      true,
    );

    await app.restart();
  });
});
