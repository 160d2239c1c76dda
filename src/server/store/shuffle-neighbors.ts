// SQLite keeps the rows of a page in the order in which they were inserted, and gives pages to long values in that order, too. A thief
// could compare it with the messages of personas, which have times. PostgreSQL has dialects/postgres-row-order.ts instead.
import { sql, SqliteAdapter } from 'kysely';
import { shuffle } from '#server/base/shuffle.ts';
import { planLimitOnce, planOnce } from './prepare-query.ts';
import type { DatabaseTransaction, Tables } from './tables.ts';

/** On each side: more than a page has of the large rows, and so many that each of the small ones is moved often. */
const neighborCount = sql.lit(8);

/**
 * Moves a row that is new, or whose size has changed, together with its neighbors by key: all of them are deleted and inserted again
 * in random order.
 *
 * @param key the columns of the primary key, in its order
 */
export async function shuffleNeighbors(
  tx: DatabaseTransaction,
  tableName: keyof Tables,
  key: Readonly<Record<string, string | number>>,
): Promise<void> {
  if (!(tx.getExecutor().adapter instanceof SqliteAdapter)) return;
  const table = sql.table(tableName);
  const keyNames = Object.keys(key);
  const columns = sql.join(keyNames.map((name) => sql.ref(name)));
  const backwards = sql.join(keyNames.map((name) => sql`${sql.ref(name)} desc`));
  const toValues = (row: Readonly<Record<string, unknown>>) =>
    sql.join(
      keyNames.map((name) => {
        const value = row[name];
        return typeof value === 'number' ? planLimitOnce(value) : planOnce(String(value));
      }),
    );
  const { rows } = await sql<Record<string, unknown>>`
    select * from (select * from ${table} where (${columns}) < (${toValues(key)})
      order by ${backwards} limit ${neighborCount})
    union all
    select * from (select * from ${table} where (${columns}) >= (${toValues(key)})
      order by ${columns} limit ${neighborCount} + 1)
    order by ${columns}`.execute(tx);
  const [first] = rows;
  const last = rows.at(-1);
  if (!first || !last) return;
  await sql`
    delete from ${table}
    where (${columns}) >= (${toValues(first)}) and (${columns}) <= (${toValues(last)})`.execute(tx);
  await tx.insertInto(tableName).values(shuffle(rows)).execute();
}
