// Old rows stay in the files of a database after they are replaced or dropped. This removes them.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import type { EngineKind } from '#server/store/migrations.ts';
import { findMetadata } from '#server/store/server-metadata-queries.ts';
import type { Tables } from '#server/store/tables.ts';

/** The interval at which a program checks whether other sessions have ended. */
const snapshotPollMs = 200;

/** Removes all copies of old rows from the database files, because the old key can derive the old memberIds. */
export async function overwriteOldRows(
  db: Kysely<Tables>,
  engine: EngineKind,
  onWaiting: () => void,
): Promise<void> {
  if (engine === 'sqlite') return rewriteFile(db);
  await waitForOlderSnapshots(db, onWaiting);
  // PostgreSQL writes updated rows in update order. `cluster` also writes them in key order, into new files.
  const { rows } = await sql<{ table: string; key: string }>`
    select rel.relname as "table", key.relname as key
    from pg_index join pg_class rel on rel.oid = indrelid join pg_class key on key.oid = indexrelid
    where indisprimary
    and rel.relnamespace = (select oid from pg_namespace where nspname = current_schema())`.execute(
    db,
  );
  for (const { table, key } of rows) {
    await sql`cluster ${sql.table(table)} using ${sql.ref(key)}`.execute(db);
  }
  await replaceStatistics(db);
  await removeOldStatistics(db, onWaiting);
}

/**
 * Removes what is left of the tables of accounts that a migration has dropped. PostgreSQL deletes the files of a dropped table, and
 * keeps the samples of its rows in `pg_statistic`, even after a vacuum.
 */
export async function removeDroppedTables(
  db: Kysely<Tables>,
  engine: EngineKind,
  onWaiting: () => void,
): Promise<void> {
  // The migration notes it in its transaction, so that a process that is killed before the end tries again.
  if ((await findMetadata(db, 'droppedTables')) === null) return;
  if (engine === 'sqlite') await rewriteFile(db);
  else await removeOldStatistics(db, onWaiting);
  await db.deleteFrom('serverMetadata').where('name', '=', 'droppedTables').execute();
}

async function rewriteFile(db: Kysely<Tables>): Promise<void> {
  await sql`vacuum`.execute(db);
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

async function removeOldStatistics(db: Kysely<Tables>, onWaiting: () => void): Promise<void> {
  await waitForOlderSnapshots(db, onWaiting);
  await sql`vacuum full pg_statistic`.execute(db);
}

/**
 * Waits until no session can see the old rows, because `cluster` and `vacuum full` would copy such rows. A session sees them if
 * it began to read before they were replaced, such as an open transaction or an `analyze` of the autovacuum. So do `cluster` and
 * `vacuum full` themselves while an older transaction writes in any database of the server.
 */
async function waitForOlderSnapshots(db: Kysely<Tables>, onWaiting: () => void): Promise<void> {
  const { rows } = await sql<{ xid: string }>`select pg_current_xact_id() as xid`.execute(db);
  const xid = rows[0]?.xid ?? '';
  const isWaiting = async () => {
    const olderSnapshots = await sql`
      select where pg_snapshot_xmin(pg_current_snapshot()) <= ${xid}::xid8
      or exists (
        select from pg_stat_activity
        where pid <> pg_backend_pid() and coalesce(datname, current_database()) = current_database()
        and age(backend_xmin) > age(${xid}::xid8::xid)
      )`.execute(db);
    return olderSnapshots.rows.length > 0;
  };
  if (!(await isWaiting())) return;
  onWaiting();
  while (await isWaiting()) await sleep(snapshotPollMs);
}

/** Replaces the statistics of PostgreSQL's planner, because they have values of rows. */
async function replaceStatistics(db: Kysely<Tables>): Promise<void> {
  await sql`analyze`.execute(db);
  // `analyze` keeps the statistics of an empty table. A change of a column's type to the same type removes them.
  const { rows } = await sql<{ table: string; column: string; type: string }>`
    select relname as "table", pg_attribute.attname as "column", format_type(atttypid, atttypmod) as type
    from pg_stats join pg_class on relname = tablename
    join pg_namespace on pg_namespace.oid = relnamespace and nspname = schemaname
    join pg_attribute on attrelid = pg_class.oid and pg_attribute.attname = pg_stats.attname
    where schemaname = current_schema() and reltuples = 0`.execute(db);
  for (const { table, column, type } of rows) {
    await sql`alter table ${sql.table(table)} alter column ${sql.ref(column)} type ${sql.raw(type)}`.execute(
      db,
    );
  }
}
