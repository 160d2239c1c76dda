// Rows that say which node does a kind of work, until when. The database's clock judges, so the clocks of the nodes need
// not agree. PostgreSQL only: an SQLite file has one server.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './tables.ts';

const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Takes or extends the lease with one conditional statement. A lease that ends later than any holder can have written was
 * taken before the database's clock went back.
 *
 * @returns whether this holder has it now
 */
export async function takeLease(
  db: Database,
  name: string,
  holder: string,
  ttlMs: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into leases (name, holder, "expiresAt") values (${name}, ${holder}, ${now} + ${ttlMs}::bigint)
    on conflict (name) do update set holder = excluded.holder, "expiresAt" = excluded."expiresAt"
    where leases.holder = excluded.holder or leases."expiresAt" <= ${now}
      or leases."expiresAt" > ${now} + ${2 * ttlMs}::bigint
    returning name`.execute(db);
  return rows.length > 0;
}

/** Whether the holder has the lease. Locks the row: until the transaction ends, no other node takes it. */
export async function lockLease(
  tx: DatabaseTransaction,
  name: string,
  holder: string,
): Promise<boolean> {
  const { rows } = await sql`
    update leases set holder = holder
    where name = ${name} and holder = ${holder} and "expiresAt" > ${now}
    returning name`.execute(tx);
  return rows.length > 0;
}

/** Lets another node take the lease immediately. */
export async function endLease(db: Database, name: string, holder: string): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
}
