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

/** For messages with `from <= seq <= to`: from the message's seq to an emoji per memberId. */
export async function listReactions(
  db: Database,
  classId: string,
  from: number,
  to: number,
): Promise<Map<number, Record<string, Emoji>>> {
  const bySeq = new Map<number, Record<string, Emoji>>();
  const rows = await selectReactions(db, { classId, from, to });
  // Sorted by memberId, so that the order does not reveal who reacted first.
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

/** Sets the member's reaction to the message; null removes it. */
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
