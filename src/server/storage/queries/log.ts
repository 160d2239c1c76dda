import type { Selectable } from 'kysely';
import type { Reader, Tables, Writer } from '../database.ts';

type LogRow = Selectable<Tables['log']>;

/**
 * Takes the class's next seq and enters the change there. The update holds the class's row until
 * the commit, so the order of commits is the order of seqs, without holes.
 */
export async function appendToLog(
  db: Writer,
  classId: string,
  kind: LogRow['kind'],
  ref: string,
): Promise<{ seq: number; ordinal: number }> {
  const head = await db
    .updateTable('classes')
    .set((set) => ({
      seq: set('seq', '+', 1),
      ordinal: set('ordinal', '+', kind === 'posted' ? 1 : 0),
    }))
    .where('classId', '=', classId)
    .returning(['seq', 'ordinal'])
    .executeTakeFirstOrThrow();
  await db.insertInto('log').values({ classId, seq: head.seq, kind, ref }).execute();
  return head;
}

/** The entries with `from <= seq <= to`, in order. */
export async function listLog(
  db: Reader,
  classId: string,
  from: number,
  to: number,
): Promise<LogRow[]> {
  return db
    .selectFrom('log')
    .selectAll()
    .where('classId', '=', classId)
    .where('seq', '>=', from)
    .where('seq', '<=', to)
    .orderBy('seq')
    .execute();
}
