import { toErrorMessage } from '#web/api.ts';
import { useOwnSanctions } from './own-sanctions.ts';
import { formatMoment } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { AppealState } from './appeal-state.tsx';
import styles from './appeal.module.css';

/** The suspensions of the person's account: until when, why, and the appeal. */
export function Suspensions() {
  const found = useOwnSanctions();
  if (found.isPending) return <Skeleton width="100%" height={120} />;
  if (found.isError && !found.data) {
    return (
      <div>
        <Callout kind="error">{toErrorMessage(found.error)}</Callout>
        <Button onClick={() => void found.refetch()}>Retry</Button>
      </div>
    );
  }
  const active = found.data.sanctions.filter((one) => one.active && one.kind === 'suspension');
  return active.map((one) => (
    <section key={one.sanctionId} className={styles.card} aria-label="Suspension">
      <p className={styles.what}>
        {one.until === null
          ? 'Suspended permanently'
          : `Suspended until ${formatMoment(one.until)}`}
      </p>
      <p className={styles.quote} dir="auto">
        {one.reason}
      </p>
      <p className={styles.note}>
        {one.label && `It is about your anonymous name in ${one.label}. `}
        The operators who decided it do not know who you are.
      </p>
      <AppealState sanction={one} />
    </section>
  ));
}
