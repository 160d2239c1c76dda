import type { Emoji } from '#contract/emojis.ts';
import type { Database, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';

const selectReactions = prepared((db, $: { classId: string; from: number; to: number }) =>
  db
    .selectFrom('reactions')
    .select(['seq', 'memberId', 'emoji'])
    .where('classId', '=', $.classId)
    .where('seq', '>=', $.from)
    .where('seq', '<=', $.to),
);

/** By the seq of their message, for messages with `from <= seq <= to`: memberId to emoji. */
export async function listReactions(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<Map<number, Record<string, Emoji>>> {
  const bySeq = new Map<number, Record<string, Emoji>>();
  const rows = await selectReactions(db, { classId, from, to });
  // By who they are of, so that nobody sees who came first.
  for (const { seq, memberId, emoji } of rows.toSorted(byMember)) {
    const of = bySeq.get(seq) ?? {};
    of[memberId] = emoji;
    bySeq.set(seq, of);
  }
  return bySeq;
}

function byMember(one: { memberId: string }, other: { memberId: string }): number {
  return one.memberId < other.memberId ? -1 : 1;
}

/** Sets the member's one reaction to the message, or takes it away. */
export async function setReaction(
  db: DatabaseTransaction,
  classId: string,
  seq: number,
  memberId: string,
  emoji: Emoji | null,
): Promise<void> {
  if (emoji === null) {
    await db
      .deleteFrom('reactions')
      .where('classId', '=', classId)
      .where('seq', '=', seq)
      .where('memberId', '=', memberId)
      .execute();
    return;
  }
  await db
    .insertInto('reactions')
    .values({ classId, seq, memberId, emoji })
    .onConflict((conflict) =>
      conflict.columns(['classId', 'seq', 'memberId']).doUpdateSet({ emoji }),
    )
    .execute();
}

export async function deleteReactions(
  db: DatabaseTransaction,
  classId: string,
  seq: number,
): Promise<void> {
  await db.deleteFrom('reactions').where('classId', '=', classId).where('seq', '=', seq).execute();
}
