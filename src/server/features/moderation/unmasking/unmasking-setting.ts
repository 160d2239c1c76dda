// The setting UNMASKING and its history in the database: what was written while it was off stays sealed.
import type { UnmaskingSetting } from '#contract/transparency.ts';
import { formatDay } from '#server/base/days.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { findLastChange, insertChange, type HistoryRow } from './unmaskings-queries.ts';
import { administratorName, appendAudit } from '#server/chat/staff/audit-log.ts';

export interface Unmasking {
  /** The time since which it is on without a break; null if it is off. */
  onSince: number | null;
}

/** Stores a change of the setting with its time and an audit entry when the server starts. */
export async function recordUnmasking(
  db: Database,
  commits: CommitQueue,
  state: 'on' | 'off',
): Promise<Unmasking> {
  const last = await findLastChange(db);
  if ((last?.state ?? 'off') === state) return { onSince: toOnSince(last) };
  return commits.write(async (unitOfWork) => {
    // Another node may have stored it in the meantime.
    const previousChange = await findLastChange(unitOfWork.db);
    if ((previousChange?.state ?? 'off') === state) return { onSince: toOnSince(previousChange) };
    // A clock that went back must not reach what was written before.
    const changedAt = Math.max(Date.now(), previousChange?.at ?? 0);
    const change = { number: (previousChange?.number ?? 0) + 1, state, at: changedAt };
    await insertChange(unitOfWork.db, change);
    await appendAudit(unitOfWork, {
      staffName: administratorName,
      act: `unmasking-${state}`,
      reason: '',
    });
    return { onSince: toOnSince(change) };
  }, 'everything');
}

const toOnSince = (change: HistoryRow | null): number | null =>
  change?.state === 'on' ? change.at : null;

/** The setting as everyone can see it. */
export function toPublicSetting({ onSince }: Unmasking): UnmaskingSetting {
  return { on: onSince !== null, since: onSince === null ? null : formatDay(new Date(onSince)) };
}
