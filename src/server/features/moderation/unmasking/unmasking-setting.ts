// The setting UNMASKING and its history in the database: what was written while it was off stays sealed.
import type { UnmaskingSetting } from '#contract/transparency.ts';
import { formatDay } from '#server/base/days.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { findLastChange, insertChange } from './unmaskings-queries.ts';
import { appendAudit } from '#server/chat/staff/audit-log.ts';

export interface Unmasking {
  /** The time since which it is on without a break; null if it is off. */
  since: number | null;
}

/** At the start of the server: stores a change of the setting with its time, and an audit entry. */
export async function recordUnmasking(
  db: Database,
  commits: CommitQueue,
  state: 'on' | 'off',
): Promise<Unmasking> {
  const last = await findLastChange(db);
  if ((last?.state ?? 'off') === state) return { since: toSince(last) };
  return commits.write(async (unitOfWork) => {
    // Another node may have stored it in the meantime.
    const before = await findLastChange(unitOfWork.db);
    if ((before?.state ?? 'off') === state) return { since: toSince(before) };
    // A clock that went back must not reach what was written before.
    const at = Math.max(Date.now(), before?.at ?? 0);
    const change = { number: (before?.number ?? 0) + 1, state, at };
    await insertChange(unitOfWork.db, change);
    await appendAudit(unitOfWork, { staffName: '', act: `unmasking-${state}`, reason: '' });
    return { since: toSince(change) };
  }, 'everything');
}

const toSince = (change: { state: string; at: number } | null): number | null =>
  change?.state === 'on' ? change.at : null;

/** As everyone can see it. */
export function toPublicSetting({ since }: Unmasking): UnmaskingSetting {
  return { on: since !== null, since: since === null ? null : formatDay(new Date(since)) };
}
