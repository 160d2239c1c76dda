import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Navigate, useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { toErrorMessage } from '#web/api.ts';
import { FoldedBar } from '#web/app/icon-bar.tsx';
import { RoomPane } from '#web/app/room-pane.tsx';
import { hasLeftClass, refreshClasses, useClass } from '#web/data/classes.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import type { HomeState } from './use-class-list-pane.ts';
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
  const classQuery = useClass(classId);
  const isJoined = classQuery.data?.joined === true;
  const wasJoined = useRef(false);
  useTitle(classQuery.data ? toClassLabel(classQuery.data.class) : null);
  useEffect(() => {
    // The list is stale: the member joined in another tab.
    if (isJoined && !wasJoined.current) void refreshClasses(client);
    wasJoined.current = isJoined;
  }, [isJoined, client]);

  if (
    classQuery.error instanceof RejectedError &&
    ['NOT_FOUND', 'INVALID'].includes(classQuery.error.code)
  ) {
    return <Navigate to="/home" state={{ missing: 'class' } satisfies HomeState} replace />;
  }
  if (classQuery.isError) {
    return (
      <div className="middle">
        <div className={styles.menu}>
          <FoldedBar />
        </div>
        <EmptyState text={toErrorMessage(classQuery.error)}>
          <Button onClick={() => void classQuery.refetch()}>{getText('common.retry')}</Button>
        </EmptyState>
      </div>
    );
  }
  if (classQuery.data?.sanction?.kind === 'removed') {
    return <RoomPane classInfo={classQuery.data.class} />;
  }
  if (!classQuery.data || isJoined || classQuery.isFetching) return null;
  const classInfo = classQuery.data.class;
  return (
    <>
      <header className={styles.head}>
        <FoldedBar />
        <PageHeading className="lead grow">{toClassLabel(classInfo)}</PageHeading>
      </header>
      <JoinOffer
        offer={classQuery.data}
        onCancel={() => void navigate('/home', { replace: true })}
      />
    </>
  );
}

const missingTexts = getTexts('app.missing');

/** Stands on /home for a link that leads nowhere. */
export function MissingPane({ missing }: HomeState) {
  useTitle(getText('app.missing.title'));
  return (
    <div className="middle">
      <PageHeading>
        <VisuallyHidden>{getText('app.missing.title')}</VisuallyHidden>
      </PageHeading>
      <EmptyState text={missingTexts[missing]}>
        <Link className={toButtonClass('quiet')} to="/search">
          {getText('classList.search')}
        </Link>
      </EmptyState>
    </div>
  );
}
