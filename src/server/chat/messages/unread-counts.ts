// Counts the messages that an account has not read.
import { AppError } from '#contract/errors.ts';
import { limits } from '#contract/limits.ts';
import type { Reader } from '#server/store/site.ts';
import { countUnreadMentions } from '#server/chat/mentions/mentions-queries.ts';
import { countUnread } from './messages-queries.ts';
import { getMember, type Actor } from '#server/chat/members/member.ts';
import type { Memberships } from '#server/chat/members/memberships.ts';
import type { PreferenceStore } from '#server/chat/members/preferences.ts';
import type { ReadMarks } from '#server/chat/members/read-marks.ts';

export interface UnreadDependencies extends Reader {
  readMarks: Pick<ReadMarks, 'find'>;
  preferences: Pick<PreferenceStore, 'get'>;
}

/**
 * Counts the unread messages of one class, and returns the counts with the member and the preferences for which they hold.
 *
 * @param getReadPosition the seq up to which the reader has read a class whose log ends at `head`
 * @throws {AppError} NOT_FOUND, REMOVED_FROM_CLASS
 */
export async function countUnreadIn(
  dependencies: UnreadDependencies,
  actor: Actor,
  getReadPosition: (actor: Actor, head: number) => Promise<number>,
) {
  const { accountId, classId } = actor;
  const { persona, staff, sanction, head } = await getMember(dependencies, accountId, classId);
  const [readSeq, preferences] = await Promise.all([
    getReadPosition(actor, head),
    dependencies.preferences.get(actor),
  ]);
  const { memberId } = persona;
  const staffId = staff?.persona.memberId ?? null;
  const ignored: ReadonlySet<string> = new Set(preferences.ignored);
  const mutedTopics: ReadonlySet<string> = new Set(preferences.mutedTopics);
  const range = { classId, memberId, staffId, ignored, mutedTopics, readSeq, head };
  const unread = await countUnread(dependencies.db, range);
  const mentions =
    unread + mutedTopics.size > 0 ? await countUnreadMentions(dependencies.db, range) : 0;
  // A mention in a muted topic counts.
  const mutedMentions =
    mentions > 0 && mutedTopics.size > 0
      ? await countUnreadMentions(dependencies.db, range, mutedTopics)
      : 0;
  return {
    memberId,
    staffId,
    sanction,
    preferences,
    ignored,
    mutedTopics,
    seq: head,
    readSeq,
    unread: Math.min(limits.maxUnreadCount, unread + mutedMentions),
    mentions,
  };
}

/** Counts what is unread in all classes, for the badge of the installed app. In muted classes only mentions count (PWA-14). */
export async function countAllUnread(
  dependencies: UnreadDependencies & { memberships: Memberships },
  accountId: string,
): Promise<number> {
  let sum = 0;
  for (const classId of (await dependencies.memberships.list(dependencies.db, accountId)).keys()) {
    sum += await countForBadge(dependencies, accountId, classId);
  }
  return sum;
}

async function countForBadge(
  dependencies: UnreadDependencies,
  accountId: string,
  classId: string,
): Promise<number> {
  // Before the first visit everything counts as read. Unlike a visit, this count stores no read mark.
  const getReadPosition = async (actor: Actor, head: number) =>
    (await dependencies.readMarks.find(actor)) ?? head;
  try {
    const counts = await countUnreadIn(dependencies, { accountId, classId }, getReadPosition);
    return counts.preferences.muted ? counts.mentions : counts.unread;
  } catch (error) {
    // The class was deleted, or moderators removed the member.
    if (error instanceof AppError) return 0;
    throw error;
  }
}
