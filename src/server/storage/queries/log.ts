import type { Selectable } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { randomId } from '../../random-id.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';

export type LogRow = Selectable<Tables['log']>;

/** Further back than this behind the head, entries may be forgotten; messages never are. */
const retainedEntries = 2000;
const compactEvery = 500;

/** Where an entry stands: its seq and its random id. */
export interface Entry {
  seq: number;
  id: string;
}

const takeNextSeq = prepared((db, $: { classId: string; messages: number }) =>
  db
    .updateTable('classes')
    .set((set) => ({ seq: set('seq', '+', 1), ordinal: set('ordinal', '+', $.messages) }))
    .where('classId', '=', $.classId)
    .where('status', '!=', 'deleted')
    .returning(['seq', 'ordinal', 'status']),
);

const insertEntry = prepared((db, $: LogRow) =>
  db.insertInto('log').values({
    classId: $.classId,
    seq: $.seq,
    id: $.id,
    kind: $.kind,
    ref: $.ref,
    memberId: $.memberId,
  }),
);

/**
 * Takes the class's next seq and enters the change there. The update holds the class's row until
 * the commit, so the order of commits is the order of seqs, without holes.
 *
 * @throws {AppError} NOT_FOUND for a class that is missing, or was deleted meanwhile; CLASS_ENDED for one
 *   that has ended, where only the class itself can still change, and a deleted account's things go
 */
export async function appendToLog(
  db: DatabaseTransaction,
  classId: string,
  kind: LogRow['kind'],
  ref: string,
  memberId: string | null = null,
  evenEnded = kind === 'class',
): Promise<Entry & { ordinal: number }> {
  const [head] = await takeNextSeq(db, { classId, messages: kind === 'posted' ? 1 : 0 });
  if (!head) throw new AppError('NOT_FOUND');
  if (head.status === 'archived' && !evenEnded) throw new AppError('CLASS_ENDED');
  const id = randomId(6);
  await insertEntry(db, { classId, seq: head.seq, id, kind, ref, memberId });
  if (head.seq % compactEvery === 0) await compactLog(db, classId, head.seq - retainedEntries);
  return { seq: head.seq, id, ordinal: head.ordinal };
}

async function compactLog(db: DatabaseTransaction, classId: string, upTo: number): Promise<void> {
  await db.deleteFrom('log').where('classId', '=', classId).where('seq', '<=', upTo).execute();
}

const selectEntries = prepared((db, $: { classId: string; from: number; to: number }) =>
  db
    .selectFrom('log')
    .selectAll()
    .where('classId', '=', $.classId)
    .where('seq', '>=', $.from)
    .where('seq', '<=', $.to)
    .orderBy('seq'),
);

/** The entries with `from <= seq <= to` that are still kept, in order. */
export async function listLog(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<LogRow[]> {
  return await selectEntries(db, { classId, from, to });
}
