import { Navigate, useLocation, useParams } from 'react-router';
import { useLive } from '#web/app/live-provider.tsx';
import { RoomPane } from '#web/app/room-pane.tsx';
import { type HomeState, useClassListPane } from '#web/app/use-class-list-pane.ts';
import { useClasses } from '#web/data/classes.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { ChatSkeleton } from '#web/features/chat/chat-skeleton.tsx';
import { ClassList } from '#web/features/class-list/class-list.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { useIsNarrow } from '#web/ui/use-media-query.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { toButtonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useEscape } from '#web/ui/use-escape.ts';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './home-screen.module.css';

const joinGate = createLazyModule(() => import('./join-gate.tsx'));

/**
 * Shows the class list and the room of the class in the URL. On a narrow screen only one of them is visible.
 */
export function HomeScreen() {
  const { classId } = useParams();
  const { state } = useLocation();
  const missing = classId ? undefined : (state as Partial<HomeState> | null)?.missing;
  const live = useLive();
  const isNarrow = useIsNarrow();
  const pane = useClassListPane();
  const { data: classes, isError } = useClasses();
  const currentClass = classes?.find((classInfo) => classInfo.classId === classId);

  useEscape(isNarrow && pane.open && classId !== undefined, pane.toggle);

  const first = classes?.[0];
  if (!classId && !missing && first) {
    return <Navigate to={`/home/${first.classId}`} state={state} replace />;
  }

  const isListOnly = isNarrow && (pane.open || (isError && !classes));
  return (
    <>
      {(!isNarrow || isListOnly) && (
        <ClassList openId={classId ?? null} live={live} isMain={isListOnly} />
      )}
      {!isListOnly && (
        <main className={styles.main} id="main" tabIndex={-1}>
          {currentClass && <RoomPane key={currentClass.classId} classInfo={currentClass} />}
          {classes && !currentClass && classId && (
            <OnDemand code={joinGate}>
              {({ JoinGate }) => <JoinGate key={classId} classId={classId} />}
            </OnDemand>
          )}
          {missing && (
            <OnDemand code={joinGate}>
              {({ MissingPane }) => <MissingPane missing={missing} />}
            </OnDemand>
          )}
          {classes && !classId && !missing && <NoClassPane />}
          {!classes && !isError && !missing && <ChatSkeleton />}
        </main>
      )}
    </>
  );
}

function NoClassPane() {
  useTitle('My Classes');
  return (
    <div className={styles.quiet}>
      <PageHeading>
        <VisuallyHidden>My Classes</VisuallyHidden>
      </PageHeading>
      <EmptyState drawing="table" text="Join a class to start chatting.">
        <div className={styles.actions}>
          <Link className={toButtonClass('primary')} to="/search">
            Search classes
          </Link>
          <Link className={toButtonClass('quiet')} to="/create">
            Create a class
          </Link>
        </div>
      </EmptyState>
    </div>
  );
}
