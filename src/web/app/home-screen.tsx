import { Navigate, useParams, Link } from 'react-router';
import { useLive } from '#web/app/live-provider.tsx';
import { RoomPane } from '#web/app/room-pane.tsx';
import { JoinGate } from './join-gate.tsx';
import { useClassListPane } from '#web/app/use-class-list-pane.ts';
import { useClasses } from '#web/data/classes.ts';
import { ClassList } from '#web/features/class-list/class-list.tsx';
import { useIsNarrow } from '#web/ui/use-is-narrow.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { buttonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './home-screen.module.css';

/**
 * Shows the class list and the room of the class in the URL. On a narrow screen only one of them is visible.
 */
export function HomeScreen() {
  const { classId } = useParams();
  const live = useLive();
  const narrow = useIsNarrow();
  const pane = useClassListPane();
  const { data: classes, isError } = useClasses();
  const current = classes?.find((mine) => mine.classId === classId);

  const first = classes?.[0];
  if (!classId && first) return <Navigate to={`/home/${first.classId}`} replace />;

  const listOnly = narrow && (!classId || pane.open || (isError && !classes));
  return (
    <>
      {(!narrow || listOnly) && (
        <ClassList openId={classId ?? null} live={live} asMain={listOnly} />
      )}
      {!listOnly && (
        <main className={styles.main} id="main" tabIndex={-1}>
          {current && <RoomPane key={current.classId} of={current} />}
          {classes && !current && classId && <JoinGate key={classId} classId={classId} />}
          {classes && !classId && <NoClassPane />}
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
          <Link className={buttonClass('primary')} to="/search">
            Search classes
          </Link>
          <Link className={buttonClass('quiet')} to="/create">
            Create a class
          </Link>
        </div>
      </EmptyState>
    </div>
  );
}
