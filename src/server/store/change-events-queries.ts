// The change events, in the order of their commits: what servers hold in memory and no log of a class tells. An event names no
// account: their order would be the order in which accounts did something.
import type { Selectable } from 'kysely';
import type { Database, Tables } from './tables.ts';
import type { UnitOfWork } from './changes.ts';
import { prepareQuery } from './prepare-query.ts';

export type ChangeEvent = Selectable<Tables['changeEvents']>;

/** A server that is further behind must read everything again. */
const retainedEvents = 1000;

/**
 * Appends in the transaction of the change. Concurrent transactions take the same seq, so one waits for the
 * other's commit and runs again. Seqs have no gaps, and no server skips an uncommitted one.
 *
 * @param classId '' for an event that concerns no class
 */
export async function appendChangeEvent(
  { db, follow }: UnitOfWork,
  kind: ChangeEvent['kind'],
  classId = '',
): Promise<void> {
  const seq = (await getLastChangeEvent(db)) + 1;
  await db.insertInto('changeEvents').values({ seq, kind, ref: classId }).execute();
  await db
    .deleteFrom('changeEvents')
    .where('seq', '<=', seq - retainedEvents)
    .execute();
  follow({ kind: 'event' });
}

/** The last seq; 0 if there is none. */
export async function getLastChangeEvent(db: Database): Promise<number> {
  const row = await db
    .selectFrom('changeEvents')
    .select('seq')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

const selectAfter = prepareQuery((db, $: { seq: number }) =>
  db.selectFrom('changeEvents').selectAll().where('seq', '>', $.seq).orderBy('seq'),
);

/** The stored events after this seq, in order. */
export async function listChangeEvents(db: Database, lastSeq: number): Promise<ChangeEvent[]> {
  return await selectAfter(db, { seq: lastSeq });
}
