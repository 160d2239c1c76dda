// How much waits for the decision of a moderator or operator: numbers and an age, and nothing about anyone.
import type { WaitingWork } from '#contract/moderation.ts';
import { formatDay, getToday, toDate } from '#server/base/days.ts';
import { hasPersona } from '#server/chat/members/member.ts';
import { findReach, type Reach } from '#server/chat/staff/rights.ts';
import type { StaffAccount } from '#server/chat/staff/roles.ts';
import { isDecidedBy } from '#server/features/moderation/reports/decider.ts';
import { listWaitingOutsideReports } from '#server/features/moderation/outside/outside-reports-queries.ts';
import { canOtherDecide } from '#server/features/moderation/reports/self-decision.ts';
import { listWaitingUnmaskings } from '#server/features/moderation/unmasking/unmasking.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database } from '#server/store/tables.ts';
import { findOldestWaitingDay, type WaitingItem } from './work-queries.ts';

/** @param items what waits on the whole site */
export async function countWork(
  reader: Reader,
  account: StaffAccount,
  items: readonly WaitingItem[],
): Promise<WaitingWork> {
  const reach = await findReach(reader, account, 'seeQueue');
  const ownItems: WaitingItem[] = [];
  for (const item of items) {
    if (!isInReach(reach, item)) continue;
    if (hasPersona(reader.site.keys, item.salt, account.id, item.memberId)) continue;
    if (await isLeftToOthers(reader, account, item)) continue;
    ownItems.push(item);
  }
  const count = (kind: WaitingItem['kind']) => ownItems.filter((item) => item.kind === kind).length;
  const outsideReports = await listOutsideReportsInReach(reader, reach);
  const days = [...ownItems, ...outsideReports].flatMap(({ day }) => day ?? []);
  const mayUnmask = (await findReach(reader, account, 'unmask')) === 'all';
  const requests = mayUnmask ? await listWaitingUnmaskings(reader, account.id) : [];
  return {
    openCases: count('case'),
    escalations: count('escalation'),
    appeals: count('appeal'),
    unmaskings: requests.filter(({ own }) => !own).length,
    reportsFromOutside: outsideReports.length,
    oldestDay: days.length > 0 ? formatDay(toDate(Math.min(...days))) : null,
  };
}

/**
 * Lists the ids of everything that the roles of the account cover, also of what is about its own persona or is left to others. So
 * the list is the same for all who moderate the same classes.
 */
export async function listWorkInReach(
  reader: Reader,
  account: StaffAccount,
  items: readonly WaitingItem[],
): Promise<string[]> {
  const reach = await findReach(reader, account, 'seeQueue');
  const itemsInReach = items.filter((item) => isInReach(reach, item));
  const outsideReports = await listOutsideReportsInReach(reader, reach);
  const ids = [...itemsInReach, ...outsideReports].map(({ id }) => id);
  if ((await findReach(reader, account, 'unmask')) !== 'all') return ids;
  const requests = await listWaitingUnmaskings(reader, account.id);
  return [...ids, ...requests.filter(({ own }) => !own).map(({ requestId }) => requestId)];
}

/** Operators decide about them. */
async function listOutsideReportsInReach({ db }: Reader, reach: Reach) {
  return reach === 'all' ? listWaitingOutsideReports(db) : [];
}

function isInReach(reach: Reach, { classId, kind, isForOperators }: WaitingItem): boolean {
  if (reach === 'all') return true;
  return reach.has(classId) && kind !== 'escalation' && !isForOperators;
}

/** Whether the item is an appeal against a decision of this account, which someone else can decide. APPEAL-11 */
async function isLeftToOthers(
  reader: Reader,
  account: StaffAccount,
  item: WaitingItem,
): Promise<boolean> {
  const { appealed } = item;
  if (!appealed || !isDecidedBy(reader.site, appealed, account.id)) return false;
  return canOtherDecide(reader, account, item);
}

/** Counts the days that the oldest case, escalation or appeal waits; 0 without any. */
export async function getOldestCaseDays(db: Database): Promise<number> {
  const day = await findOldestWaitingDay(db);
  return day === null ? 0 : getToday() - day;
}
