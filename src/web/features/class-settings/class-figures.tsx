import { toUnmaskingNotice, useClassTransparency } from '#web/data/transparency.ts';
import { formatQuantity } from '#web/format.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './class-settings.module.css';

/** What moderators did in the class in 30 days, and whether operators can unmask people. */
export function ClassFigures({ classId }: { classId: string }) {
  const transparencyQuery = useClassTransparency(classId);
  if (!transparencyQuery.data) {
    return transparencyQuery.isError ? (
      <QueryFailure className="stack-m start" query={transparencyQuery} />
    ) : (
      <div role="status" aria-label="Loading">
        <Skeleton width="80%" />
      </div>
    );
  }
  const { figures, unmasking } = transparencyQuery.data;
  const recentCounts = Object.fromEntries(
    figures.map((figureRow) => [figureRow.figure, figureRow.recent]),
  );
  const { removedMessages = 0, mutedMembers = 0, removedMembers = 0 } = recentCounts;
  const parts = [
    removedMessages > 0 && `${formatQuantity(removedMessages, 'message')} removed`,
    mutedMembers > 0 && `${formatQuantity(mutedMembers, 'member')} muted`,
    removedMembers > 0 && `${formatQuantity(removedMembers, 'member')} removed from the class`,
  ].filter(Boolean);
  return (
    <section className={styles.figures} aria-label="Moderation">
      <h3>Moderation</h3>
      <p>Last 30 days: {parts.length > 0 ? parts.join(', ') : 'nothing removed, no one muted'}.</p>
      {unmasking.since !== null && <p>{toUnmaskingNotice(unmasking.since)}</p>}
    </section>
  );
}
