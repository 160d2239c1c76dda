import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { classLabel } from '#contract/class-label.ts';
import { AppError } from '#contract/errors.ts';
import { errorMessage } from '#web/api.ts';
import { refreshClasses, useClass } from '#web/data/classes.ts';
import { isJustLeft } from '#web/data/just-left.ts';
import { JoinDialog } from '#web/features/join-class/join-dialog.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './home-screen.module.css';

/** Offers to join a class that is not in the member's list, or returns to /home. */
export function JoinGate({ classId }: { classId: string }) {
  return isJustLeft(classId) ? <Navigate to="/home" replace /> : <Offer classId={classId} />;
}

function Offer({ classId }: { classId: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const found = useClass(classId);
  const joined = found.data?.joined === true;
  const wasIn = useRef(false);
  useTitle(found.data ? classLabel(found.data.class) : null);
  useEffect(() => {
    // The list is stale: the member joined in another tab.
    if (joined && !wasIn.current) void refreshClasses(client);
    wasIn.current = joined;
  }, [joined, client]);

  if (found.error instanceof AppError && ['NOT_FOUND', 'INVALID'].includes(found.error.code)) {
    return <Navigate to="/home" replace />;
  }
  if (found.isError) {
    return (
      <div className={styles.quiet}>
        <EmptyState drawing="door" text={errorMessage(found.error)}>
          <Button onClick={() => void found.refetch()}>Retry</Button>
        </EmptyState>
      </div>
    );
  }
  if (!found.data || joined || found.isFetching) return null;
  return (
    <>
      <div className={styles.quiet}>
        <PageHeading className={styles.name}>{classLabel(found.data.class)}</PageHeading>
        <EmptyState drawing="door" text="Join this class to see its chat." />
      </div>
      <JoinDialog
        classId={classId}
        label={classLabel(found.data.class)}
        ended={found.data.class.ended}
        onCancel={() => void navigate('/home', { replace: true })}
      />
    </>
  );
}
