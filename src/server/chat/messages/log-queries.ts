import type { Selectable } from 'kysely';
import { AppError } from '#contract/errors.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';
import { planOnce, prepareQuery } from '#server/store/prepare-query.ts';

export type LogRow = Selectable<Tables['log']>;

/** The number of newest log entries that compaction keeps. It deletes no messages. */
const retainedEntryCount = 2000;
const compactionInterval = 500;

/** The position of a log entry: its seq and its random id. */
export interface Entry {
  seq: number;
  id: string;
}

const takeNextSeq = prepareQuery((db, $: { classId: string; messages: number }) =>
  db
    .updateTable('classes')
    .set((set) => ({ seq: set('seq', '+', 1), ordinal: set('ordinal', '+', $.messages) }))
    .where('classId', '=', $.classId)
    .where('status', '!=', 'deleted')
    .returning(['seq', 'ordinal', 'status']),
);

const insertEntry = prepareQuery((db, $: LogRow) =>
  db.insertInto('log').values({
    classId: $.classId,
    seq: $.seq,
    id: $.id,
    kind: $.kind,
    ref: $.ref,
    memberId: $.memberId,
  }),
);

interface EntryOptions {
  /** The member whose reaction changes. */
  memberId?: string | null;
  /** Allows the change in an ended class, as for changes of the class itself and for deleted accounts. */
  allowEnded?: boolean;
}

/**
 * Takes the class's next seq and appends a log entry. The update locks the class's row until the commit, so
 * seqs follow the order of commits without gaps.
 *
 * @throws {AppError} NOT_FOUND if the class is missing or deleted, CLASS_ENDED if it has ended
 */
export async function appendToLog(
  db: DatabaseTransaction,
  classId: string,
  kind: LogRow['kind'],
  ref: string,
  { memberId = null, allowEnded = kind === 'class' }: EntryOptions = {},
): Promise<Entry & { ordinal: number }> {
  const [head] = await takeNextSeq(db, { classId, messages: kind === 'posted' ? 1 : 0 });
  if (!head) throw new AppError('NOT_FOUND');
  if (head.status === 'archived' && !allowEnded) throw new AppError('CLASS_ENDED');
  const id = createRandomId(6);
  await insertEntry(db, { classId, seq: head.seq, id, kind, ref, memberId });
  if (head.seq % compactionInterval === 0) {
    await compactLog(db, classId, head.seq - retainedEntryCount);
  }
  return { seq: head.seq, id, ordinal: head.ordinal };
}

async function compactLog(db: DatabaseTransaction, classId: string, upTo: number): Promise<void> {
  await db.deleteFrom('log').where('classId', '=', classId).where('seq', '<=', upTo).execute();
}

const selectEntries = prepareQuery((db, $: { classId: string; from: number; to: number }) =>
  db
    .selectFrom('log')
    .selectAll()
    .where('classId', '=', planOnce($.classId))
    .where('seq', '>=', $.from)
    .where('seq', '<=', $.to)
    .orderBy('seq'),
);

/** The stored entries with `from <= seq <= to`, in order. */
export async function listLogEntries(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<LogRow[]> {
  return await selectEntries(db, { classId, from, to });
}
