// Rows that say which node does a kind of work, and until when. The database's clock decides, so the clocks of the nodes may
// differ. Only PostgreSQL has leases, because an SQLite file has one server.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from './tables.ts';

const now = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/**
 * Takes or extends the lease with one conditional statement. If a lease ends later than any holder can have written, the
 * database's clock was set back, and the lease is free.
 *
 * @returns whether this holder has the lease now
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

/**
 * Locks the lease for the holder, so that no other node takes it before the transaction ends.
 *
 * @returns false if the holder lacks it
 */
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
