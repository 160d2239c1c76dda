import { useIsOperator } from '#web/data/session.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { Link } from '#web/ui/navigation.tsx';
import { Status } from '#web/ui/status.tsx';
import styles from './unmasking.module.css';

/** Requests expire while they are on screen. */
export const refetchInterval = 60_000;

/** The open requests of all cases, so that operators find what a mail told them about. */
export function OpenUnmaskings() {
  return useIsOperator() ? <Requests /> : null;
}

function Requests() {
  const requests = useCall('listUnmaskings', {}, { refetchInterval }).data?.requests ?? [];
  return (
    <Status>
      {requests.map(({ requestId, caseId, label, requestedBy, own, expiresAt }) => (
        <p key={requestId} className={styles.waiting}>
          <span>
            {own ? 'Your' : <bdi>{`${requestedBy}’s`}</bdi>} request to unmask a person in {label}{' '}
            is open until {formatMoment(expiresAt)}.
          </span>{' '}
          <Link to={`/moderation/${caseId}`}>Open the case</Link>
        </p>
      ))}
    </Status>
  );
}
