import SQLite from 'better-sqlite3';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Tables } from './tables.ts';
import { createSqliteDialect } from './dialects/sqlite.ts';
import { planLimitOnce, prepareQuery } from './prepare-query.ts';

const select = prepareQuery((db, $: { value: string; limit: number }) =>
  db
    .selectFrom('serverMetadata')
    .select('name')
    .where('name', '=', "it's")
    .where('value', '=', $.value)
    .limit(planLimitOnce($.limit)),
);

test('a prepared query holds its constants, escaped, and binds its parameters', async () => {
  const file = new SQLite(':memory:');
  const statements: string[] = [];
  const prepare = file.prepare.bind(file);
  file.prepare = (text: string) => {
    statements.push(text);
    return prepare(text);
  };
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(file) });
  await sql`create table "serverMetadata" (name text, value text)`.execute(db);
  await sql`insert into "serverMetadata" values ('it''s', 'here'), ('not', 'here')`.execute(db);

  expect(await select(db, { value: 'here', limit: 2 })).toEqual([{ name: "it's" }]);
  expect(await select(db, { value: 'here', limit: 0 })).toEqual([]);
  expect(await select(db, { value: "' or 1 = 1 --", limit: 2 })).toEqual([]);
  expect(statements.slice(2)).toEqual([
    `select "name" from "serverMetadata" where "name" = 'it''s' and "value" = ? limit ? + 0`,
  ]);
  await db.destroy();
});

test('On SQLite, a prepared query answers without a promise', async () => {
  const db = new Kysely<Tables>({ dialect: createSqliteDialect(new SQLite(':memory:')) });
  await sql`create table "serverMetadata" (name text, value text)`.execute(db);

  expect(select(db, { value: 'here', limit: 2 })).toEqual([]);
  await db.destroy();
});
