import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { call } from '#web/api.ts';
import { FoldedBar } from '#web/app/icon-bar.tsx';
import { useLive } from '#web/app/live-provider.tsx';
import { newlyJoined, removeClass } from '#web/data/classes.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { useMayModerate } from '#web/data/session.ts';
import { Chat } from '#web/features/chat/chat.tsx';
import type { QuestionTab } from '#web/features/questions/question-panel.tsx';
import { PersonaButton } from '#web/features/persona/persona-button.tsx';
import { getText } from '#web/get-text.ts';
import { createLazyModule, createPreloadedModule } from '#web/lazy-module.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { useStore } from '#web/use-store.ts';
import { RoomSearch, useFoundMessages, usePreloadSearchPanel } from './room-search.tsx';
import { useMention } from './use-mention.ts';
import { useMessageSearch } from './use-message-search.ts';
import { type SidePanel, useSidePanel } from './use-side-panel.ts';
import styles from './room-pane.module.css';

const sanctionNotice = createLazyModule(() => import('#web/features/appeal/sanction-notice.tsx'));
const joiningMoment = createPreloadedModule(
  () => import('#web/features/persona/joining-moment.tsx'),
);
const reportDialog = createLazyModule(() => import('#web/features/report/report-dialog.tsx'));
const classPanel = createPreloadedModule(() => import('./class-panel.tsx'));
const questionPanel = createPreloadedModule(
  () => import('#web/features/questions/question-panel.tsx'),
);
const lecturePolls = createLazyModule(() => import('#web/features/chat/polls/lecture-polls.tsx'));
const questionsButton = createLazyModule(
  () => import('#web/features/questions/questions-button.tsx'),
);
const topicBar = createLazyModule(() => import('#web/features/topics/topic-bar.tsx'));
const lectureStrip = createLazyModule(() => import('#web/features/lectures/lecture-strip.tsx'));
const ownWaiting = createLazyModule(() => import('#web/features/lectures/own-waiting.tsx'));

/** Calls `onNoMember` unless the server confirms that the viewer is a member. */
async function confirmMembership(classId: string, onNoMember: () => void): Promise<void> {
  try {
    const { joined } = await call('readClass', { params: { classId } });
    if (!joined) onNoMember();
  } catch (error) {
    if (error instanceof RejectedError && error.code === 'NOT_FOUND') onNoMember();
  }
}

/** Shows the room of one class. If the membership ends, the class also leaves the list. */
export function RoomPane({ classInfo }: { classInfo: Class }) {
  const live = useLive();
  const client = useQueryClient();
  const room = live.room(classInfo.classId);
  // A member whom a moderator removed stays here, to see why.
  const isRemoved = useStore(room, ({ sanction }) => sanction?.kind === 'removed');
  const isGone = useStore(room, ({ state }) => state === 'gone') && !isRemoved;
  const label = toClassLabel(classInfo);
  useTitle(label);
  useEffect(() => {
    if (isGone) {
      void confirmMembership(classInfo.classId, () => removeClass(client, classInfo.classId));
    }
  }, [isGone, client, classInfo.classId]);
  useFoundMessages(classInfo.classId, room);
  const mayModerate = useMayModerate();
  const [reportTarget, setReportTarget] = useState<ReportTarget | null>(null);
  const endReport = () => setReportTarget(null);
  const [movedMessage, setMovedMessage] = useState<RoomMessage | null>(null);
  const { classId } = classInfo;
  const topics = { classId, room, movedMessage, onMoveEnd: () => setMovedMessage(null) };
  const [isNaming, setIsNaming] = useState(false);
  const newcomer = { label, room, onChooseName: () => setIsNaming(true) };
  const panel = useSidePanel();
  const openPanel = isRemoved ? null : panel.shown;
  const isClassPanelOpen = openPanel?.kind === 'class';
  const toggleClassPanel = () => {
    if (isClassPanelOpen) panel.close();
    else panel.open({ kind: 'class', tab: 'details' });
  };
  const search = useMessageSearch(panel);
  const mention = useMention(classInfo.classId, room, panel);
  usePreloadSearchPanel();
  const isCovered = openPanel !== null && panel.coversRoom;
  return (
    <div className={styles.room}>
      <div className={styles.chat} inert={isCovered}>
        <Chat
          covered={isCovered}
          classId={classInfo.classId}
          label={label}
          courseName={classInfo.courseName?.trim() ?? ''}
          ended={classInfo.ended}
          mayPin={mayModerate(classInfo.classId)}
          room={room}
          connection={live.connection}
          menu={<FoldedBar />}
          panelButton={isRemoved ? null : { open: isClassPanelOpen, onPress: toggleClassPanel }}
          onMention={mention}
          onReport={setReportTarget}
          onMove={setMovedMessage}
          sanctionNotice={sanctionNotice}
          banner={
            <>
              {!classInfo.ended && (
                <>
                  <Lecture classId={classInfo.classId} room={room} panel={panel} />
                  <Joining classId={classInfo.classId} {...newcomer} />
                </>
              )}
              {!isRemoved && <Topics {...topics} />}
            </>
          }
          introduction={!isRemoved && <Newcomer {...newcomer} />}
          waiting={!isRemoved && <Waiting classId={classInfo.classId} room={room} />}
          tools={
            isRemoved ? null : (
              <>
                {!classInfo.ended && (
                  <PersonaButton
                    classId={classInfo.classId}
                    label={label}
                    room={room}
                    isOpen={isNaming}
                    onOpen={setIsNaming}
                  />
                )}
                <Questions classId={classInfo.classId} room={room} panel={panel} />
                <IconButton
                  icon="find"
                  label={getText('app.room.search')}
                  aria-expanded={search.isOpen}
                  onClick={search.isOpen ? panel.close : search.open}
                />
              </>
            )
          }
        />
      </div>
      {reportTarget && (
        <OnDemand code={reportDialog} onFailure={endReport}>
          {({ ReportDialog }) => (
            <ReportDialog classId={classInfo.classId} target={reportTarget} onClose={endReport} />
          )}
        </OnDemand>
      )}
      {openPanel && (
        <div className={styles.panel}>
          {openPanel.kind === 'search' && (
            <RoomSearch
              classId={classInfo.classId}
              label={label}
              panel={panel}
              search={search}
              room={room}
            />
          )}
          {openPanel.kind === 'questions' && (
            <OnDemand code={questionPanel} onFailure={panel.close}>
              {({ QuestionPanel }) => (
                <QuestionPanel
                  key={classInfo.classId}
                  classInfo={classInfo}
                  tab={openPanel.tab}
                  panel={panel}
                  room={room}
                  onReport={setReportTarget}
                  sanctionNotice={sanctionNotice}
                  polls={
                    <OnDemand code={lecturePolls} isQuiet>
                      {({ LecturePolls }) => (
                        <LecturePolls classId={classInfo.classId} room={room} />
                      )}
                    </OnDemand>
                  }
                />
              )}
            </OnDemand>
          )}
          {openPanel.kind === 'class' && (
            <OnDemand code={classPanel} onFailure={panel.close}>
              {({ ClassPanel }) => (
                <ClassPanel
                  classInfo={classInfo}
                  tab={openPanel.tab}
                  panel={panel}
                  room={room}
                  onMention={mention}
                  onReport={setReportTarget}
                />
              )}
            </OnDemand>
          )}
        </div>
      )}
    </div>
  );
}

interface JoiningProps {
  label: string;
  room: Room;
  onChooseName: () => void;
}

/** The dialog that says right after joining who the member is in the class. */
function Joining({ classId, ...props }: JoiningProps & { classId: string }) {
  const hasAppeared = useStore(props.room, (view) => view.state === 'ready' && view.hasAppeared);
  const [isOpen, setIsOpen] = useState(() => newlyJoined.has(classId));
  const close = useCallback(() => {
    newlyJoined.delete(classId);
    setIsOpen(false);
  }, [classId]);
  if (!isOpen || hasAppeared) return null;
  return (
    <OnDemand code={joiningMoment} onFailure={close}>
      {({ JoiningMoment }) => <JoiningMoment {...props} onClose={close} />}
    </OnDemand>
  );
}

/** Until the first message: who the member will be. */
function Newcomer(props: JoiningProps) {
  const hasAppeared = useStore(props.room, (view) => view.hasAppeared);
  if (hasAppeared) return null;
  return (
    <OnDemand code={joiningMoment} isQuiet>
      {({ Introduction }) => <Introduction {...props} />}
    </OnDemand>
  );
}

interface QuestionsProps {
  classId: string;
  room: Room;
  panel: SidePanel;
}

/** The button that opens the panel of questions. Its code, which counts them, loads after the room. */
function Questions({ classId, room, panel }: QuestionsProps) {
  const isOpen = panel.shown?.kind === 'questions';
  const toggle = (tab: QuestionTab) => {
    if (isOpen) panel.close();
    else panel.open({ kind: 'questions', tab });
  };
  return (
    <OnDemand
      code={questionsButton}
      isQuiet
      fallback={
        <IconButton
          icon="hand"
          label={getText('questions.title')}
          aria-expanded={isOpen}
          onClick={() => toggle('unanswered')}
        />
      }
    >
      {({ QuestionsButton }) => (
        <QuestionsButton classId={classId} room={room} isOpen={isOpen} onPress={toggle} />
      )}
    </OnDemand>
  );
}

/** The line that says that a lecture is on. Its code loads when a lecture has started. */
function Lecture({ classId, room, panel }: QuestionsProps) {
  const lecture = useStore(room, (snapshot) => snapshot.settings.lecture);
  if (lecture?.lastSeq !== null) return null;
  return (
    <OnDemand code={lectureStrip} isQuiet>
      {({ LectureStrip }) => (
        <LectureStrip
          classId={classId}
          room={room}
          lecture={lecture}
          onOpen={() => panel.open({ kind: 'questions', tab: 'lecture' })}
        />
      )}
    </OnDemand>
  );
}

interface TopicsProps extends Omit<QuestionsProps, 'panel'> {
  /** The message whose topic the viewer changes. */
  movedMessage: RoomMessage | null;
  onMoveEnd: () => void;
}

/** The topics of the class, if it has any. */
function Topics(props: TopicsProps) {
  const topics = useStore(props.room, (snapshot) => snapshot.settings.topics);
  if (!topics) return null;
  return (
    <OnDemand code={topicBar} isQuiet>
      {({ TopicBar }) => <TopicBar {...props} topics={topics} />}
    </OnDemand>
  );
}

/** The viewer's questions that wait for release. Their code loads if the class has had a lecture. */
function Waiting({ classId, room }: Omit<QuestionsProps, 'panel'>) {
  const lecture = useStore(room, (snapshot) => snapshot.settings.lecture);
  if (!lecture) return null;
  return (
    <OnDemand code={ownWaiting} isQuiet>
      {({ OwnWaiting }) => <OwnWaiting classId={classId} room={room} lecture={lecture} />}
    </OnDemand>
  );
}
