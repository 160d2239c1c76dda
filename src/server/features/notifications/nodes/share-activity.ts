// An account that uses the app at one node gets no digest from another one (DIGEST-3).
import { createRecentMap } from '#server/base/recent-map.ts';
import {
  createRecentActivity,
  type RecentActivity,
} from '#server/features/notifications/digest/recent-activity.ts';
import type { Notices } from '#server/nodes/notices.ts';

/** Much shorter than the time for which an account counts as active. */
const tellAgainMs = 15 * 60_000;
const maxAccounts = 50_000;

export function shareActivity(local: RecentActivity, notices: Notices): RecentActivity {
  const remoteActivity = createRecentActivity();
  const announcedAccounts = createRecentMap<true>(maxAccounts, tellAgainMs);
  notices.onNotice((notice) => {
    if (notice.kind === 'active') remoteActivity.note(notice.account);
  });
  return {
    note(accountId) {
      local.note(accountId);
      if (announcedAccounts.has(accountId)) return;
      announcedAccounts.set(accountId, true);
      notices.send({ kind: 'active', account: notices.deriveAccountKey(accountId) });
    },
    isActive: (accountId) =>
      local.isActive(accountId) || remoteActivity.isActive(notices.deriveAccountKey(accountId)),
  };
}
