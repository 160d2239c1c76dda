// Which accounts used the app in the last hours. In memory only: a stored time could match that of a persona's message.
import { createRecentMap } from '#server/base/recent-map.ts';

export interface RecentActivity {
  note(accountId: string): void;
  isActive(accountId: string): boolean;
}

const activeMs = 4 * 60 * 60_000; // DIGEST-3
const maxAccounts = 50_000;

export function createRecentActivity(): RecentActivity {
  const activeAccounts = createRecentMap<true>(maxAccounts, activeMs);
  return {
    note: (accountId) => void activeAccounts.set(accountId, true),
    isActive: (accountId) => activeAccounts.has(accountId),
  };
}
