// Which messages mention a member, for counting. The texts hold the same mentions.
import { limits } from '#contract/limits.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { planLimitOnce, planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import type { UnreadQuery, UnreadRange } from '#server/chat/messages/messages-queries.ts';

interface MessageRef {
  classId: string;
  seq: number;
}

export async function insertMentions(
  db: DatabaseTransaction,
  { classId, seq }: MessageRef,
  memberIds: readonly string[],
): Promise<void> {
  if (memberIds.length === 0) return;
  await db
    .insertInto('mentions')
    .values(memberIds.map((memberId) => ({ classId, seq, memberId })))
    .execute();
}

export async function deleteMentions(
  db: DatabaseTransaction,
  { classId, seq }: MessageRef,
): Promise<void> {
  await db.deleteFrom('mentions').where('classId', '=', classId).where('seq', '=', seq).execute();
}

/** Deletes all mentions of a member. */
export async function deleteMemberMentions(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
): Promise<void> {
  await db
    .deleteFrom('mentions')
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
}

const selectUnread = prepareQuery((db, $: UnreadRange & { limit: number }) =>
  db
    .selectFrom('mentions')
    .select('seq')
    .where('classId', '=', $.classId)
    .where('memberId', '=', $.memberId)
    .where('seq', '>', $.readSeq)
    .where('seq', '<=', $.head)
    .limit(planLimitOnce($.limit)),
);

/** Bounds the work if ignored members mention the member often. */
const maxScannedMentions = 1000;

const selectUnreadAuthors = prepareQuery((db, $: UnreadRange) =>
  db
    .selectFrom('mentions')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.classId', '=', 'mentions.classId')
        .onRef('messages.seq', '=', 'mentions.seq'),
    )
    .select(['messages.memberId', 'messages.topicId', 'mentions.seq'])
    .where('mentions.classId', '=', planOnce($.classId))
    .where('mentions.memberId', '=', planOnce($.memberId))
    .where('mentions.seq', '>', $.readSeq)
    .where('mentions.seq', '<=', $.head)
    .orderBy('mentions.seq', 'desc')
    .limit(maxScannedMentions),
);

/**
 * Counts the messages with `readSeq < seq <= head` that mention the member, up to a limit.
 *
 * @param topicIds counts only the messages of these topics
 */
export async function countUnreadMentions(
  db: Database,
  query: UnreadQuery,
  topicIds: ReadonlySet<string> | null = null,
): Promise<number> {
  if (query.ignored.size > 0 || query.staffId !== null || topicIds !== null) {
    const rows = await selectUnreadAuthors(db, query);
    if (query.staffId !== null) {
      rows.push(...(await selectUnreadAuthors(db, { ...query, memberId: query.staffId })));
    }
    // The staff persona may mention the member, and a message may mention both.
    const readerIds = [query.memberId, query.staffId];
    const countedRows = rows.filter(
      ({ memberId, topicId }) =>
        !query.ignored.has(memberId) &&
        !readerIds.includes(memberId) &&
        (topicIds === null || topicIds.has(topicId ?? '')),
    );
    return Math.min(limits.maxUnreadCount, new Set(countedRows.map(({ seq }) => seq)).size);
  }
  return (await selectUnread(db, { ...query, limit: limits.maxUnreadCount })).length;
}
