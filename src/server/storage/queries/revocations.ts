import type { Selectable } from 'kysely';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';

export type Revocation = Selectable<Tables['revocations']>;

/** Whoever is further behind has to ask anew for everything. */
const retainedRevocations = 1000;

/**
 * Enters it in the transaction of the change itself. Each takes the seq after the last one that was
 * committed: of two at once one waits for the other's commit and is run again, so seqs have no holes
 * and no server can pass one by that is not committed yet.
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

/** The seq of the last one; 0 before there was any. */
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

/** Those after this seq that are still kept, in order. */
export async function listRevocations(db: Database, after: number): Promise<Revocation[]> {
  return await selectAfter(db, { seq: after });
}
