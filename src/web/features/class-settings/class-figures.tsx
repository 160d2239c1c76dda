import { toUnmaskingNotice, useClassTransparency } from '#web/data/transparency.ts';
import { formatQuantity, formatDay } from '#web/format.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './class-settings.module.css';

/** What moderators did in the class in 30 days, and whether operators can unmask people. */
export function ClassFigures({ classId }: { classId: string }) {
  const transparencyQuery = useClassTransparency(classId);
  if (!transparencyQuery.data) {
    return transparencyQuery.isError ? (
      <QueryFailure className={styles.failed} query={transparencyQuery} />
    ) : (
      <div role="status" aria-label="Loading">
        <Skeleton width="80%" />
      </div>
    );
  }
  const { figures, through, unmasking } = transparencyQuery.data;
  const recentCounts = Object.fromEntries(
    figures.map((figureRow) => [figureRow.figure, figureRow.recent]),
  );
  const parts = [
    `${formatQuantity(recentCounts['removedMessages'] ?? 0, 'message')} removed`,
    `${formatQuantity(recentCounts['mutedMembers'] ?? 0, 'member')} muted`,
    `${formatQuantity(recentCounts['removedMembers'] ?? 0, 'member')} removed from the class`,
  ];
  return (
    <section className={styles.figures} aria-label="Moderation">
      <h3>Moderation</h3>
      <p>
        In the 30 days to {formatDay(through)}: {parts.join(', ')}.
      </p>
      {unmasking.since !== null && <p>{toUnmaskingNotice(unmasking.since)}</p>}
    </section>
  );
}
