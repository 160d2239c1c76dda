import type { Emoji } from '#contract/emojis.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { planLimitOnce, prepareQuery, prepareListQuery } from '#server/store/prepare-query.ts';

const selectReactions = prepareListQuery((db, $: { classId: string }, seqs: number[]) =>
  db
    .selectFrom('reactions')
    .select(['seq', 'memberId', 'emoji'])
    .where('classId', '=', $.classId)
    .where('seq', 'in', seqs),
);

/** A map from a message's seq to an emoji per memberId. */
export type ReactionsBySeq = Map<number, Record<string, Emoji>>;

/** The reactions to messages with these seqs. */
export async function listReactions(
  db: Database,
  classId: string,
  seqs: readonly number[],
): Promise<ReactionsBySeq> {
  return groupBySeq(await selectReactions(db, { classId }, seqs));
}

const selectBetween = prepareQuery((db, $: { classId: string; first: number; last: number }) =>
  db
    .selectFrom('reactions')
    .select(['seq', 'memberId', 'emoji'])
    .where('classId', '=', $.classId)
    .where('seq', '>=', $.first)
    .where('seq', '<=', $.last),
);

/** The reactions to all messages with `first <= seq <= last`. */
export async function listReactionsBetween(
  db: Database,
  classId: string,
  first: number,
  last: number,
): Promise<ReactionsBySeq> {
  return groupBySeq(await selectBetween(db, { classId, first, last }));
}

function groupBySeq(
  rows: readonly { seq: number; memberId: string; emoji: Emoji }[],
): ReactionsBySeq {
  const reactions: ReactionsBySeq = new Map();
  // Sorted by memberId, so that the order does not reveal who reacted first.
  for (const { seq, memberId, emoji } of rows.toSorted(compareMembers)) {
    const emojis = reactions.get(seq) ?? {};
    emojis[memberId] = emoji;
    reactions.set(seq, emojis);
  }
  return reactions;
}

function compareMembers(first: { memberId: string }, second: { memberId: string }): number {
  return first.memberId < second.memberId ? -1 : 1;
}

/** The message of a reaction. */
interface MessageRef {
  classId: string;
  seq: number;
}

const selectReaction = prepareQuery((db, $: MessageRef & { memberId: string }) =>
  db
    .selectFrom('reactions')
    .select('emoji')
    .where('classId', '=', $.classId)
    .where('seq', '=', $.seq)
    .where('memberId', '=', $.memberId),
);

/** The member's reaction to the message, or null. */
export async function findReaction(
  db: Database,
  { classId, seq }: MessageRef,
  memberId: string,
): Promise<Emoji | null> {
  return (await selectReaction(db, { classId, seq, memberId }))[0]?.emoji ?? null;
}

const selectFirst = prepareQuery((db, $: MessageRef & { limit: number }) =>
  db
    .selectFrom('reactions')
    .select('seq')
    .where('classId', '=', $.classId)
    .where('seq', '=', $.seq)
    .limit(planLimitOnce($.limit)),
);

/** Tells whether the message has at least `count` reactions. */
export async function hasReactions(
  db: Database,
  { classId, seq }: MessageRef,
  count: number,
): Promise<boolean> {
  return (await selectFirst(db, { classId, seq, limit: count })).length === count;
}

const upsertReaction = prepareQuery((db, $: MessageRef & { memberId: string; emoji: Emoji }) =>
  db
    .insertInto('reactions')
    .values({ classId: $.classId, seq: $.seq, memberId: $.memberId, emoji: $.emoji })
    .onConflict((conflict) =>
      conflict.columns(['classId', 'seq', 'memberId']).doUpdateSet({ emoji: $.emoji }),
    ),
);

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
  await upsertReaction(db, { classId, seq, memberId, emoji });
}

export async function deleteReactions(
  db: DatabaseTransaction,
  classId: string,
  seq: number,
): Promise<void> {
  await db.deleteFrom('reactions').where('classId', '=', classId).where('seq', '=', seq).execute();
}
