import type { Selectable } from 'kysely';
import type { Database, Tables, DatabaseTransaction } from './tables.ts';
import { prepared } from './prepared.ts';

export type Revocation = Selectable<Tables['revocations']>;

/** A server that is further behind must read everything again. */
const retainedRevocations = 1000;

/**
 * Appends in the transaction of the change. Concurrent transactions take the same seq, so one waits for the
 * other's commit and runs again. Seqs have no gaps, and no server skips an uncommitted one.
 */
export async function appendRevocation(
  db: DatabaseTransaction,
  kind: Revocation['kind'],
  ref: string,
): Promise<void> {
  const seq = (await lastRevocation(db)) + 1;
  await db.insertInto('revocations').values({ seq, kind, ref }).execute();
  await db
    .deleteFrom('revocations')
    .where('seq', '<=', seq - retainedRevocations)
    .execute();
}

/** Takes the id of a deleted account out of them: with the server key, it would find the personas that stay. */
export async function clearRevocationsOf(
  db: DatabaseTransaction,
  accountId: string,
): Promise<void> {
  await db.updateTable('revocations').set({ ref: '' }).where('ref', '=', accountId).execute();
}

/** The last seq; 0 if there is none. */
export async function lastRevocation(db: Database): Promise<number> {
  const row = await db
    .selectFrom('revocations')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

const selectAfter = prepared((db, $: { seq: number }) =>
  db.selectFrom('revocations').selectAll().where('seq', '>', $.seq).orderBy('seq'),
);

/** The stored revocations after this seq, in order. */
export async function listRevocations(db: Database, after: number): Promise<Revocation[]> {
  return await selectAfter(db, { seq: after });
}
