import { toErrorMessage } from '#web/api.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { site } from '#web/site.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
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
        <Button onClick={() => void sanctionsQuery.refetch()}>Retry</Button>
      </div>
    );
  }
  const activeSuspensions = sanctionsQuery.data.sanctions.filter(
    (sanction) => sanction.active && sanction.kind === 'suspension',
  );
  return activeSuspensions.map((suspension) => (
    <section key={suspension.sanctionId} className={styles.card} aria-label="Suspension">
      <p className="strong">
        {suspension.until === null
          ? 'Suspended permanently'
          : `Suspended until ${formatMoment(suspension.until)}`}
      </p>
      <p className="said" dir="auto">
        {suspension.reason}
      </p>
      <p className="meta">
        {suspension.label && `It is about your anonymous name in ${suspension.label}. `}
        {site.unmaskingSince
          ? 'The operators decided about this name. Only two of them together can find out who you are, and only with a legal ground.'
          : 'The operators who decided it do not know who you are.'}
      </p>
      <AppealState sanction={suspension} />
    </section>
  ));
}
