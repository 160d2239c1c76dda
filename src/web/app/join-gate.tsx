import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { toErrorMessage } from '#web/api.ts';
import { RoomPane } from '#web/app/room-pane.tsx';
import { hasLeftClass, refreshClasses, useClass } from '#web/data/classes.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { JoinOffer } from './join-offer.tsx';
import styles from './home-screen.module.css';

/**
 * Offers to join a class that is not in the member's list, or returns to /home. To a member whom a moderator removed,
 * it shows the room, which says why.
 */
export function JoinGate({ classId }: { classId: string }) {
  return hasLeftClass(classId) ? <Navigate to="/home" replace /> : <Gate classId={classId} />;
}

function Gate({ classId }: { classId: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const found = useClass(classId);
  const joined = found.data?.joined === true;
  const wasJoined = useRef(false);
  useTitle(found.data ? toClassLabel(found.data.class) : null);
  useEffect(() => {
    // The list is stale: the member joined in another tab.
    if (joined && !wasJoined.current) void refreshClasses(client);
    wasJoined.current = joined;
  }, [joined, client]);

  if (found.error instanceof RejectedError && ['NOT_FOUND', 'INVALID'].includes(found.error.code)) {
    return <Navigate to="/home" replace />;
  }
  if (found.isError) {
    return (
      <div className={styles.quiet}>
        <EmptyState drawing="door" text={toErrorMessage(found.error)}>
          <Button onClick={() => void found.refetch()}>Retry</Button>
        </EmptyState>
      </div>
    );
  }
  if (found.data?.sanction?.kind === 'removed') return <RoomPane of={found.data.class} />;
  if (!found.data || joined || found.isFetching) return null;
  const of = found.data.class;
  return (
    <>
      <header className={styles.head}>
        <PageHeading className={styles.name}>{toClassLabel(of)}</PageHeading>
        <p className={styles.closed}>Join this class to see its chat.</p>
      </header>
      <JoinOffer offer={found.data} onCancel={() => void navigate('/home', { replace: true })} />
    </>
  );
}
