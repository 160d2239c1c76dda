// Copies of random rows of every table and type, from SQLite to PostgreSQL and back.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadConfig } from '#server/config/config.ts';
import { createLog } from '#server/base/log.ts';
import { openMigrated } from '#server/store/open-database.ts';
import { copyToPostgres } from '#server/features/backups/transfer/copy-to-postgres.ts';
import { copyToSqlite } from '#server/features/backups/transfer/copy-to-sqlite.ts';
import { createTwoEngines, type TwoEngines } from '#tests/support/two-engines.ts';
import { listColumns, insertRandomRows } from './random-rows.ts';

const log = createLog({ write: () => {} });
let engines: TwoEngines;
let dir: string;
let file: string;
beforeEach(async () => {
  engines = await createTwoEngines();
  dir = mkdtempSync(join(tmpdir(), 'backchannel-transfer-'));
  file = join(engines.folder.settings.DATA_DIR, 'backchannel.sqlite');
  await (await openMigrated({ kind: 'sqlite', file }, null, log)).destroy();
});
afterEach(async () => {
  rmSync(dir, { recursive: true });
  await engines.drop();
});

const getUrl = () => engines.postgres.settings.DATABASE_URL!;
const move = () =>
  copyToPostgres({ file, url: getUrl(), log, report: () => {}, startNewEpoch: null });

/** Sorted, so that the order of the rows does not matter. */
function listAllRows(from: string): Record<string, string[]> {
  const database = new SQLite(from, { readonly: true });
  const rows = Object.keys(listColumns(database)).map((name) => {
    const all = database.prepare(`select * from "${name}"`).all();
    return [name, all.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  database.close();
  return Object.fromEntries(rows);
}

function edit(sql: string, ...values: unknown[]): void {
  const database = new SQLite(file);
  database.pragma('foreign_keys = off');
  database.prepare(sql).run(...values);
  database.close();
}

describe('a copy', () => {
  test('a copy has every row of every table, to PostgreSQL and back [MOVE-3, MOVE-6, BACKUP-9]', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const target = await engines.addPostgres();
        insertRandomRows(file, seed, 40);
        const { leases: _, commitReceipts: __, ...expected } = listAllRows(file);
        for (const [name, rows] of Object.entries(expected)) {
          expect(rows.length, name).toBeGreaterThan(1);
        }
        const config = loadConfig({ ...target.settings }).database;
        const to = { file, url: target.settings.DATABASE_URL!, log };
        const summaries = await copyToPostgres({
          ...to,
          report: () => {},
          startNewEpoch: null,
        });
        expect([...summaries.keys()].toSorted()).toEqual(Object.keys(expected).toSorted());
        // No table of PostgreSQL is left out, or left over.
        const names = Object.keys(await target.tables()).filter(
          (name) => !name.startsWith('kysely_'),
        );
        expect(names.toSorted()).toEqual(
          [...Object.keys(expected), 'leases', 'commitReceipts'].toSorted(),
        );
        const copyPath = join(dir, `back${seed}`);
        writeFileSync(copyPath, '');
        const postgres = await openMigrated(config, null, log);
        await copyToSqlite(postgres, copyPath, () => {});
        await postgres.destroy();
        expect(listAllRows(copyPath)).toEqual({ ...expected, leases: [], commitReceipts: [] });
      }),
      { numRuns: 4 },
    );
  });

  test('a copy needs no sequence, because the schema has none [MOVE-1]', async () => {
    await move();

    expect(await engines.postgres.query('select * from information_schema.sequences')).toEqual([]);
    expect(
      await engines.postgres.query(
        `select table_name from information_schema.columns where is_identity = 'YES' and table_schema = 'public'`,
      ),
    ).toEqual([]);
  });

  test.each([
    ['a NUL character', 'text', 'a\0b'],
    ['a blob', 'text', Buffer.from('blob')],
    ['a fraction', 'createdAt', 1.5],
    ['a text instead of a number', 'createdAt', 'soon'],
    ['a number that is too large', 'createdAt', 2n ** 60n],
  ])(
    'a copy is rejected for a value that PostgreSQL cannot store: %s [MOVE-6]',
    async (_, column, value) => {
      insertRandomRows(file, 1, 5);
      edit(`update messages set "${column}" = ?`, value);

      await expect(move()).rejects.toThrow(
        new RegExp(`^column "${column}" of table "messages" has a value that only one engine`),
      );
    },
  );

  test('a copy is rejected for a row whose parent is missing [MOVE-6]', async () => {
    insertRandomRows(file, 1, 5);
    edit('delete from classes');

    await expect(move()).rejects.toThrow(/^table "\w+" has rows whose row in "classes" is missing/);
  });

  test('a copy is rejected if the engines have different tables [MOVE-3]', async () => {
    edit('create table "forgotten" (id text primary key)');
    await expect(move()).rejects.toThrow(/table "forgotten" differs between/);

    edit('drop table "forgotten"');
    edit('alter table "reports" add column "forgotten" text');
    await expect(move()).rejects.toThrow(/table "reports" differs between/);
  });
});
