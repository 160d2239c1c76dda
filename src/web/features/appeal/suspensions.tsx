import { toErrorMessage } from '#web/api.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { AppealState } from './appeal-state.tsx';
import styles from './appeal.module.css';

/** The suspensions of the viewer's account: until when, why, and the appeal. */
export function Suspensions() {
  const sanctionsQuery = useCall('listOwnSanctions', {});
  if (sanctionsQuery.isPending) return <Skeleton width="100%" height={120} />;
  if (sanctionsQuery.isError && !sanctionsQuery.data) {
    return (
      <div>
        <Callout kind="error">{toErrorMessage(sanctionsQuery.error)}</Callout>
        <Button onClick={() => void sanctionsQuery.refetch()}>{getText('common.retry')}</Button>
      </div>
    );
  }
  const activeSuspensions = sanctionsQuery.data.sanctions.filter(
    (sanction) => sanction.active && sanction.kind === 'suspension',
  );
  return activeSuspensions.map((suspension) => (
    <section
      key={suspension.sanctionId}
      className={styles.card}
      aria-label={getText('appeal.suspension')}
    >
      <p className="strong">
        {suspension.until === null
          ? getText('legal.suspension.permanent')
          : getText('legal.suspension.until', { moment: formatMoment(suspension.until) })}
      </p>
      <p className="said" dir="auto">
        {suspension.reason}
      </p>
      <p className="meta">
        {suspension.label &&
          `${getText('legal.suspension.about', { className: suspension.label })} `}
        {site.unmaskingSince
          ? getText('legal.suspension.canBeUnmasked')
          : getText('legal.suspension.anonymous')}
      </p>
      <LegalSummary text={getText('appeal.suspension.summary')} />
      <AppealState sanction={suspension} />
    </section>
  ));
}
