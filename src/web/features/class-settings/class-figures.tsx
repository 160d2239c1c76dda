import { toUnmaskingNotice, useClassTransparency } from '#web/data/transparency.ts';
import { formatList } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
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
      <div role="status" aria-label={getText('common.loadingStatus')}>
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
    removedMessages > 0 &&
      getText('classSettings.figures.removedMessages', { count: removedMessages }),
    mutedMembers > 0 && getText('classSettings.figures.mutedMembers', { count: mutedMembers }),
    removedMembers > 0 &&
      getText('classSettings.figures.removedMembers', { count: removedMembers }),
  ].filter((part) => part !== false);
  return (
    <section className={styles.figures} aria-label={getText('classSettings.figures.title')}>
      <h3>{getText('classSettings.figures.title')}</h3>
      <p>
        {parts.length > 0
          ? getText('classSettings.figures.recent', { figures: formatList(parts) })
          : getText('classSettings.figures.none')}
      </p>
      {unmasking.since !== null && (
        <>
          <p>{toUnmaskingNotice(unmasking.since)}</p>
          <LegalSummary text={getText('classSettings.figures.summary')} />
        </>
      )}
    </section>
  );
}
