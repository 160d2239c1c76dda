import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createSqliteDialect, openSqlite } from '#server/store/dialects/sqlite.ts';
import { migrate } from '#server/store/migrations.ts';
import type { Tables } from '#server/store/tables.ts';
import { DatabaseIndex } from './database-index.ts';
import { loadShortForms } from './short-forms.ts';

test('gaps during a full load share one load after it', async () => {
  let queryCount = 0;
  const db = new Kysely<Tables>({
    dialect: createSqliteDialect(openSqlite(':memory:')),
    log: () => void queryCount++,
  });
  await migrate(db, 'sqlite');
  const index = new DatabaseIndex(db, createLog({ write: () => {} }), loadShortForms(null));
  queryCount = 0;
  await index.load();
  const queriesPerLoad = queryCount;

  const firstLoad = index.load();
  await Promise.resolve();
  for (let gap = 0; gap < 10; gap++) void index.load();
  await firstLoad;
  await index.stop();

  expect(queryCount).toBeLessThanOrEqual(3 * queriesPerLoad);
  await db.destroy();
});
