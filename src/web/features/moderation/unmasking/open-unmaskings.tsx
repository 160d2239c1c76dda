import { useIsOperator } from '#web/data/session.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
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
            {getRichText('moderation.unmasking.waits', {
              who: own ? 'you' : 'other',
              bdi: <bdi />,
              name: requestedBy,
              className: label,
              moment: formatMoment(expiresAt),
            })}
          </span>{' '}
          <Link to={`/moderation/${caseId}`}>{getText('moderation.unmasking.openCase')}</Link>
        </p>
      ))}
    </Status>
  );
}
