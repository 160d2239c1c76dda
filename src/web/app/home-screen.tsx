import { Navigate, useLocation, useParams } from 'react-router';
import { FoldedBar } from '#web/app/icon-bar.tsx';
import { useLive } from '#web/app/live-provider.tsx';
import { RoomPane } from '#web/app/room-pane.tsx';
import { type HomeState, useClassListPane } from '#web/app/use-class-list-pane.ts';
import { useClasses } from '#web/data/classes.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import { ChatSkeleton } from '#web/features/chat/chat-skeleton.tsx';
import { ClassList } from '#web/features/class-list/class-list.tsx';
import { useIsNarrow } from '#web/ui/use-media-query.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { useEscape } from '#web/ui/use-escape.ts';
import styles from './home-screen.module.css';

const firstHome = createLazyModule(() => import('./first-home.tsx'));
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

  const firstClass = classes?.[0];
  if (!classId && !missing && firstClass) {
    return <Navigate to={`/home/${firstClass.classId}`} state={state} replace />;
  }
  const first = <OnDemand code={firstHome}>{({ FirstHome }) => <FirstHome />}</OnDemand>;

  const isListOnly = isNarrow && (pane.open || (isError && !classes));
  return (
    <>
      {(!isNarrow || isListOnly) && (
        <ClassList
          openId={classId ?? null}
          live={live}
          isMain={isListOnly}
          empty={isListOnly && classes?.length === 0 && first}
        />
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
          {classes && !classId && !missing && first}
          {!classes && !isError && !missing && (
            <>
              <div className={styles.menu}>
                <FoldedBar />
              </div>
              <ChatSkeleton />
            </>
          )}
        </main>
      )}
    </>
  );
}
