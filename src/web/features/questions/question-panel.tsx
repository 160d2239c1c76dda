import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { isAskedIn } from '#contract/lecture-times.ts';
import { findTags } from '#contract/persona-name.ts';
import { useOwnPrivate } from '#web/data/private-questions.ts';
import { isAnswered, mayVote, type ShownQuestion, useQuestions } from '#web/data/questions.ts';
import { useIsLectureOn } from '#web/data/lectures.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { useHoldsLectures } from '#web/data/session.ts';
import { getText, getTexts } from '#web/get-text.ts';
import {
  findTopicName,
  isOwnPersona,
  isReadOnly,
  type Room,
  type RoomView,
} from '#web/sync/room/room.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { EntrySkeletons } from '#web/ui/message-entry.tsx';
import { PanelTabs } from '#web/ui/panel-tabs.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { Status } from '#web/ui/status.tsx';
import { hasOpenLayer, useEscape } from '#web/ui/use-escape.ts';
import { LectureControls } from './lecture-controls.tsx';
import { PrivateQuestions, type PrivateSanctionCode } from './private-questions.tsx';
import { QuestionEntry } from './question-entry.tsx';
import { StaffSteps } from './staff-steps.tsx';
import { WaitingList } from './waiting-list.tsx';
import styles from './question-panel.module.css';

const tabs = ['lecture', 'unanswered', 'answered', 'mine', 'private'] as const;
export type QuestionTab = (typeof tabs)[number];

const titles: Readonly<Record<QuestionTab, string>> = getTexts('questions.tab');
const listNames: Readonly<Record<QuestionTab, string>> = getTexts('questions.list');

const emptyTexts: Readonly<Record<QuestionTab, string>> = getTexts('questions.empty');

type Order = 'votes' | 'time';

interface Props {
  classInfo: Class;
  tab: QuestionTab;
  panel: {
    /** The panel covers the room. */
    coversRoom: boolean;
    /** The state of the history entry of an opened question. */
    messageState: object;
    change: (shown: { kind: 'questions'; tab: QuestionTab }) => void;
    close: () => void;
    closeToComposer: () => void;
  };
  room: Room;
  onReport: (target: ReportTarget) => void;
  sanctionNotice: PrivateSanctionCode;
  /** What staff do with polls in a lecture. */
  polls?: ReactNode;
}

/** The questions of a class, next to its room, or over it in a narrow window. */
export function QuestionPanel(props: Props) {
  const { classInfo, tab, room } = props;
  const { coversRoom, messageState, change, close, closeToComposer } = props.panel;
  const { classId, ended } = classInfo;
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const [order, setOrder] = useState<Order>('votes');
  const list = useQuestions(classId, room);
  const { query, view, questions, personas } = list;
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  useEscape(coversRoom, close);
  const shownQuestions = selectQuestions(questions, tab, order, view);
  const tags = findTags(personas);
  const unansweredCount = questions.filter(({ question }) => !isAnswered(question)).length;
  const isKept = !query.data && questions.length > 0 && tab !== 'private';
  const { lecture } = view.settings;
  const isHolder = useHoldsLectures(classId);
  const isOn = useIsLectureOn(room, lecture);
  const own = useOwnPrivate(classId).data;
  const isTabShown = {
    lecture: lecture !== undefined || (isHolder && !ended),
    unanswered: true,
    answered: true,
    mine: true,
    private: own?.hasStaff === true || (own?.ownPrivate.length ?? 0) > 0,
  };
  // The heading of a covered room is hidden from screen readers.
  const Heading = coversRoom ? 'h1' : 'h2';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its questions handle the keys.
    <section
      ref={panel}
      className="panel"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented && !hasOpenLayer()) {
          event.preventDefault();
          close();
        } else moveFocus(event);
      }}
    >
      <header className={styles.head}>
        <Heading id={id}>
          {getText('questions.panel.title', { className: toClassLabel(classInfo) })}
        </Heading>
        <IconButton icon="close" label={getText('questions.panel.close')} onClick={close} />
      </header>
      <PanelTabs
        label={getText('questions.title')}
        tabs={tabs
          .filter((name) => name === tab || isTabShown[name])
          .map((name) => ({
            name,
            title:
              name === 'unanswered' && unansweredCount > 0
                ? getText('questions.tab.open.count', { count: unansweredCount })
                : titles[name],
          }))}
        currentTab={tab}
        onChange={(name) => change({ kind: 'questions', tab: name })}
      />
      {/* The tab of a lecture has much above its list, so all of it scrolls together. */}
      <div key={tab} className="panel-body">
        {tab === 'lecture' && isHolder && !lecture && <StaffSteps />}
        {tab === 'lecture' && (
          <LectureControls
            classInfo={classInfo}
            room={room}
            lecture={lecture}
            isHolder={isHolder && !ended}
            hasQuestions={shownQuestions.length > 0}
          />
        )}
        {tab === 'lecture' && isHolder && isOn && <WaitingList classId={classId} view={view} />}
        {tab === 'unanswered' && shownQuestions.length > 1 && (
          <OrderChoice order={order} onChoose={setOrder} />
        )}
        {tab === 'private' && (
          <PrivateQuestions
            classId={classId}
            room={room}
            view={view}
            onReport={props.onReport}
            sanctionNotice={props.sanctionNotice}
            // Next to the room, the new text is in the focused field anyway.
            onPublish={coversRoom ? closeToComposer : () => undefined}
          />
        )}
        <Status>
          {isKept && <p className={styles.note}>{getText('questions.panel.onDevice')}</p>}
        </Status>
        {tab !== 'private' &&
          (query.data || isKept ? (
            <QuestionList
              tab={tab}
              isEmpty={shownQuestions.length === 0}
              // Staff who prepare the first lecture see their polls instead.
              emptyText={tab === 'lecture' && !lecture ? null : emptyTexts[tab]}
            >
              {shownQuestions.map((item) => (
                <QuestionEntry
                  key={item.id}
                  classId={classId}
                  item={item}
                  personas={personas}
                  preferences={view.preferences}
                  tag={tags.get(item.memberId)}
                  topicName={findTopicName(view, item)}
                  messageState={messageState}
                  onVote={
                    mayVote(item.question, toVoter(view, item, ended))
                      ? () => room.vote(item.id, !item.question.voted)
                      : null
                  }
                  onDone={
                    tab === 'lecture' && isHolder && !ended
                      ? () => room.markDone(item.id, !item.question.done)
                      : null
                  }
                />
              ))}
            </QuestionList>
          ) : (
            <div className="blank">
              <QueryState query={query} skeleton={<EntrySkeletons />} />
            </div>
          ))}
        {tab === 'lecture' && isHolder && !ended && props.polls}
        {query.data?.hasOlder && tab !== 'mine' && tab !== 'private' && (
          <p className={styles.note}>{getText('questions.panel.older')}</p>
        )}
      </div>
    </section>
  );
}

function toVoter(view: RoomView, { memberId }: ShownQuestion, hasEnded: boolean) {
  return {
    isMine: isOwnPersona(view, memberId),
    canSend: !isReadOnly(view) && view.sanction === null,
    isStaff: view.staff !== null,
    hasEnded,
  };
}

function selectQuestions(
  questions: readonly ShownQuestion[],
  tab: QuestionTab,
  order: Order,
  view: RoomView,
): readonly ShownQuestion[] {
  if (tab === 'mine') return questions.filter(({ memberId }) => isOwnPersona(view, memberId));
  if (tab === 'lecture') {
    const { lecture } = view.settings;
    const isAsked = (item: ShownQuestion) => lecture !== undefined && isAskedIn(lecture, item);
    // As on the screen of the hall, a new question comes after those with as many votes, and moves none of them.
    return sortByVotes(questions.filter(isAsked).toReversed()).toSorted(
      (a, b) => Number(isAnswered(a.question)) - Number(isAnswered(b.question)),
    );
  }
  const isInTab = ({ question }: ShownQuestion) => isAnswered(question) === (tab === 'answered');
  const selected = questions.filter(isInTab);
  if (tab === 'answered' || order === 'time') return selected;
  return sortByVotes(selected);
}

/** Sorts by the published number, so that no question moves away under the finger that votes for it. */
function sortByVotes(questions: readonly ShownQuestion[]): ShownQuestion[] {
  return questions.toSorted((a, b) => b.question.votes - a.question.votes);
}

function OrderChoice({ order, onChoose }: { order: Order; onChoose: (order: Order) => void }) {
  const orders = [
    ['votes', getText('questions.order.votes')],
    ['time', getText('questions.order.newest')],
  ] as const;
  return (
    <div className={styles.order} role="group" aria-label={getText('questions.order.label')}>
      {orders.map(([value, text]) => (
        <button
          key={value}
          type="button"
          aria-pressed={order === value}
          onClick={() => onChoose(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}

interface ListProps {
  tab: QuestionTab;
  isEmpty: boolean;
  emptyText: string | null;
  children: ReactNode;
}

function QuestionList({ tab, isEmpty, emptyText, children }: ListProps) {
  return (
    <>
      <Status>
        {isEmpty && emptyText && (
          <div className="blank">
            <EmptyState text={emptyText} />
          </div>
        )}
      </Status>
      {!isEmpty && (
        <ol className={styles.list} aria-label={listNames[tab]}>
          {children}
        </ol>
      )}
    </>
  );
}

/** The arrow keys, Home and End move between the questions. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  const entries = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-question]')];
  const index = entries.findIndex((entry) => entry.closest('li')?.contains(document.activeElement));
  const targets: Readonly<Record<string, HTMLElement | undefined>> = {
    ArrowDown: entries[index + 1],
    ArrowUp: entries[index - 1],
    Home: entries[0],
    End: entries.at(-1),
  };
  const target = targets[event.key];
  if (!target) return;
  event.preventDefault();
  target.focus();
}
