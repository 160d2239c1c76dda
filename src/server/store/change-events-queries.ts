// The change events, in the order of their commits. They tell servers what has changed in their memory and is in no log of a
// class. An event names no account, because the order of events would show the order in which accounts did something.
import type { Selectable } from 'kysely';
import type { Database, Tables } from './tables.ts';
import type { UnitOfWork } from './changes.ts';
import { prepareQuery } from './prepare-query.ts';

export type ChangeEvent = Selectable<Tables['changeEvents']>;

/** The number of stored events. A server that has missed more must read everything again. */
const retainedEvents = 1000;

/**
 * Appends in the transaction of the change. Of two concurrent transactions with the same seq, the second one waits for the commit
 * of the first one and runs again. So seqs have no gaps, and no server skips an event that is not committed yet.
 *
 * @param classId '' for an event that concerns no class
 */
export async function appendChangeEvent(
  { db, addEffect }: UnitOfWork,
  kind: ChangeEvent['kind'],
  classId = '',
): Promise<void> {
  const seq = (await getLastChangeEvent(db)) + 1;
  await db.insertInto('changeEvents').values({ seq, kind, ref: classId }).execute();
  await db
    .deleteFrom('changeEvents')
    .where('seq', '<=', seq - retainedEvents)
    .execute();
  addEffect({ kind: 'event' });
}

/** Gets the last seq, or 0 if there is no event. */
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

/** Lists the stored events after this seq, in order. */
export async function listChangeEvents(db: Database, lastSeq: number): Promise<ChangeEvent[]> {
  return await selectAfter(db, { seq: lastSeq });
}
