// What an account missed, for the digest.
import type { Database } from '#server/store/tables.ts';
import { planLimitOnce, planOnce, prepareQuery } from '#server/store/prepare-query.ts';

interface Missed {
  classId: string;
  /** Messages with `after < seq <= head`. */
  readSeq: number;
  head: number;
  /** Only messages that were posted until then, in milliseconds since 1970. */
  maxCreatedAt: number;
}

const selectMissed = prepareQuery((db, $: Missed & { limit: number }) =>
  db
    .selectFrom('messages')
    .select(['id', 'memberId', 'topicId'])
    .where('classId', '=', planOnce($.classId))
    .where('seq', '>', $.readSeq)
    .where('seq', '<=', $.head)
    .where('deleted', '=', 0)
    .where('moderation', 'is', null)
    .where('createdAt', '<=', $.maxCreatedAt)
    .orderBy('seq', 'desc')
    .limit(planLimitOnce($.limit)),
);

/** Bounds the work if an account ignores most authors of a class. */
const maxListed = 500;

/** The newest of them, without deleted, hidden and removed ones. */
export async function listMissedMessages(
  db: Database,
  selection: Missed,
): Promise<{ id: string; memberId: string; topicId: string | null }[]> {
  return selectMissed(db, { ...selection, limit: maxListed });
}
