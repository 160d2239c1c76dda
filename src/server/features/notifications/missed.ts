// Who gets a digest, and what it counts. A mail is readable for the mail server of the university, so it says less than
// the class list: an exact count would tell when the account last read, and a mention whose persona it has (decision 54).
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import type { NotificationServer } from './compose.ts';
import type { RecentActivity } from './digest/recent-activity.ts';
import { listMissedMessages } from './missed-messages-queries.ts';
import { listMyClasses } from '#server/chat/classes/classes.ts';
import { findMember, hasMemberId } from '#server/chat/members/member.ts';
import { defaultNotify } from './settings.ts';
import { type Recipient, toRecipient } from '#server/mail/recipient.ts';

export interface MissedInClass {
  label: string;
  /** One of `countSteps`, which the number of messages reaches. */
  atLeast: number;
}

/** Counts are rounded down to one of these. DIGEST-5 */
const countSteps = [1, 10, 20, 50] as const;
/** A message counts as missed if it was unread for so long. DIGEST-4 */
const missedAfterMs = 4 * 60 * 60_000;

/** @returns null for an account that gets no digest now */
export async function findDigestRecipient(
  { config, db, accountRecords, suspendedAccounts }: NotificationServer,
  activity: RecentActivity,
  accountId: string,
): Promise<Recipient | null> {
  const account = await accountRecords.findById(db, accountId);
  if (!account?.emailVerified) return null;
  const { digest, snoozedUntil } = account.settings;
  if (!digest || (snoozedUntil ?? 0) > Date.now() || activity.isActive(accountId)) return null;
  if (suspendedAccounts.isSuspended(account)) return null;
  return toRecipient(account.email, account, config);
}

/** What the account missed, in the order of the class list. Empty while it has any class in view. */
export async function listMissed(
  server: NotificationServer,
  accountId: string,
): Promise<MissedInClass[]> {
  const { db, hub, memberships } = server;
  const enrollments = await memberships.list(db, accountId);
  const missedClasses: MissedInClass[] = [];
  for (const myClass of await listMyClasses(server, memberships, accountId)) {
    if (hub.isViewing(accountId, myClass.classId)) return [];
    const { notify = defaultNotify } = enrollments.get(myClass.classId) ?? {};
    if (myClass.ended || notify === 'none') continue;
    const count = await countMissed(server, accountId, myClass);
    const atLeast = countSteps.findLast((step) => count >= step);
    if (atLeast !== undefined) missedClasses.push({ label: toClassLabel(myClass), atLeast });
  }
  return missedClasses;
}

async function countMissed(
  server: NotificationServer,
  accountId: string,
  { classId }: Class,
): Promise<number> {
  const { db, preferences, readMarks } = server;
  const member = await findMember(server, accountId, classId);
  if (!member) return 0;
  const { head } = member;
  const memberPreferences = await preferences.get({ classId, accountId });
  const readSeq = await readMarks.find({ classId, accountId });
  // As in the class list, everything before the first visit counts as read.
  if (memberPreferences.muted || readSeq === null || readSeq >= head) return 0;
  const maxCreatedAt = Date.now() - missedAfterMs;
  const messages = await listMissedMessages(db, { classId, readSeq, head, maxCreatedAt });
  return messages.filter(
    ({ id, memberId, topicId }) =>
      !hasMemberId(member, memberId) &&
      !memberPreferences.ignored.includes(memberId) &&
      !memberPreferences.hidden.includes(id) &&
      !memberPreferences.mutedTopics?.includes(topicId ?? ''),
  ).length;
}
