// Questions that only staff see, in the panel of questions: for staff those of the class, and for everyone their own.
import { type ComponentType, useEffect, useId, useState } from 'react';
import type { PrivateQuestion } from '#contract/private-questions.ts';
import { loadDraft, restoreDraft, saveQuestionDraft } from '#web/data/drafts.ts';
import {
  markSeen,
  privateLists as refreshes,
  type Standing,
  toStanding,
  useOwnPrivate,
  usePrivateQuestions,
} from '#web/data/private-questions.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { useNoticedCommand } from '#web/data/use-call.ts';
import { formatNumber, getText, getTexts } from '#web/get-text.ts';
import type { LazyModule } from '#web/lazy-module.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { EntrySkeletons } from '#web/ui/message-entry.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { Status } from '#web/ui/status.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import { Asker, PrivateTurns, TurnForm } from './private-turns.tsx';
import styles from './private-questions.module.css';

/** Tells a viewer who may not write to staff what was decided. Few members ever see it. */
export type PrivateSanctionCode = LazyModule<{
  PrivateSanctionNotices: ComponentType<{ classId: string }>;
}>;

interface Props {
  classId: string;
  room: Room;
  view: RoomView;
  onReport: (target: ReportTarget) => void;
  sanctionNotice: PrivateSanctionCode;
  /** The message field has the text to publish. */
  onPublish: () => void;
}

const standings = ['open', 'answered', 'done'] as const;
const standingTexts: Readonly<Record<Standing, string>> = getTexts('questions.standing');
const noNames = new Map<string, never>();

export function PrivateQuestions(props: Props) {
  const { classId, view } = props;
  const focusProps = useLostFocus();
  const maySpeak = view.staff?.maySpeak === true;
  const own = useOwnPrivate(classId);
  const ofClass = usePrivateQuestions(classId, maySpeak);
  const query = maySpeak ? ofClass : own;
  const ownQuestions = own.data?.ownPrivate ?? [];
  const classQuestions = ofClass.data?.privateQuestions ?? [];
  useEffect(() => markSeen(own.data?.ownPrivate ?? []), [own.data]);
  if (!query.data) {
    return (
      <div className="blank">
        <QueryState query={query} skeleton={<EntrySkeletons />} />
      </div>
    );
  }
  const isEmpty = (maySpeak ? classQuestions : ownQuestions).length === 0;
  return (
    <div tabIndex={-1} {...focusProps}>
      <Status>
        <OnDemand code={props.sanctionNotice} isQuiet>
          {({ PrivateSanctionNotices }) => <PrivateSanctionNotices classId={classId} />}
        </OnDemand>
        {isEmpty && (
          <div className="blank">
            <EmptyState
              text={
                maySpeak ? getText('questions.private.none') : getText('questions.empty.private')
              }
            />
          </div>
        )}
      </Status>
      {maySpeak &&
        standings.map((standing) => (
          <Group
            key={standing}
            {...props}
            title={standingTexts[standing]}
            isStaff
            questions={classQuestions.filter((question) => toStanding(question) === standing)}
          />
        ))}
      <Group
        {...props}
        title={getText('questions.list.private')}
        isStaff={false}
        questions={ownQuestions}
      />
    </div>
  );
}

interface GroupProps extends Props {
  title: string;
  /** The viewer answers. Otherwise the viewer asked. */
  isStaff: boolean;
  questions: readonly PrivateQuestion[];
}

function Group({ title, questions, ...props }: GroupProps) {
  const id = useId();
  if (questions.length === 0) return null;
  return (
    <section aria-labelledby={id}>
      <p id={id} className={styles.title}>
        {title} · {formatNumber(questions.length)}
      </p>
      <ul className={styles.list}>
        {questions.map((question) => (
          <Conversation key={question.questionId} {...props} question={question} />
        ))}
      </ul>
    </section>
  );
}

interface ConversationProps extends Props {
  isStaff: boolean;
  question: PrivateQuestion;
}

function Conversation({ question, ...props }: ConversationProps) {
  const { isStaff, classId, view, onReport } = props;
  const standing = toStanding(question);
  const [startsOpen] = useState(isStaff ? standing === 'open' : standing !== 'done');
  return (
    <li>
      <details className={styles.conversation} open={startsOpen}>
        <summary className={styles.summary}>
          <span className="grow">
            <Asker isStaff={isStaff} />
            <PlainText
              text={question.turns[0]?.text ?? ''}
              names={noNames}
              className={`truncate ${styles.preview}`}
            />
          </span>
          {!isStaff && <span className="time">{standingTexts[standing]}</span>}
          <Icon name="chevron" size={16} />
        </summary>
        <div className="stack-m">
          <PrivateTurns turns={question.turns} isStaff={isStaff} onReport={onReport} />
          {!isStaff && <Publication classId={classId} question={question} />}
          <TurnForm
            classId={classId}
            questionId={question.questionId}
            staffName={isStaff ? (view.staff?.persona.anonymousName ?? '') : null}
          />
          {isStaff ? (
            <StaffActions {...props} question={question} />
          ) : (
            <Withdraw classId={classId} question={question} />
          )}
        </div>
      </details>
    </li>
  );
}

/** What staff do with a question, and how far they are with its publication. */
function StaffActions({ question, ...props }: Omit<ConversationProps, 'isStaff'>) {
  const { classId } = props;
  const { questionId, state, turns } = question;
  const publish = usePublish(props);
  const changing = useNoticedCommand('setPrivateState', { refreshes });
  const change = (next: 'open' | 'asked' | 'done') =>
    changing.mutate({ params: { classId, questionId }, body: { state: next } });
  const isAnswered = turns.some(({ turnPersona }) => turnPersona);
  return (
    <>
      {state === 'asked' && <p className="meta">{getText('questions.private.asked')}</p>}
      {state === 'refused' && <p className="meta">{getText('questions.private.refused')}</p>}
      {state === 'agreed' && (
        <div className="card stack-s start">
          <p>{getText('questions.private.agreed')}</p>
          <Button onClick={() => publish(question)}>{getText('questions.private.publish')}</Button>
        </div>
      )}
      <div className={styles.actions}>
        <TextButton
          aria-disabled={changing.isPending}
          onClick={() => change(state === 'done' ? 'open' : 'done')}
        >
          {state === 'done'
            ? getText('questions.private.reopen')
            : getText('questions.entry.markDone')}
        </TextButton>
        {state === 'open' && isAnswered && (
          <TextButton aria-disabled={changing.isPending} onClick={() => change('asked')}>
            {getText('questions.private.askToPublish')}
          </TextButton>
        )}
      </div>
    </>
  );
}

/** Puts the last answer into the message field, to be posted as staff. The question's own words stay private. */
function usePublish({ classId, room, onPublish }: Pick<Props, 'classId' | 'room' | 'onPublish'>) {
  const notify = useNotify();
  return ({ turns }: PrivateQuestion) => {
    // The text that is there may be an anonymous one.
    if (loadDraft(classId).trim() !== '') {
      return notify({ text: getText('questions.private.busy') });
    }
    room.speakAs('staff');
    if (room.getSnapshot().speaker !== 'staff') {
      return notify({ text: getText('chat.speaker.fixed') });
    }
    const answer = turns.findLast(({ turnPersona }) => turnPersona)?.text ?? '';
    const text = `${getText('questions.private.publication')}\n\n${answer}`;
    saveQuestionDraft(classId, false);
    restoreDraft(classId, { text, mentions: [] });
    onPublish();
  };
}

interface AskerProps {
  classId: string;
  question: PrivateQuestion;
}

/** The asker decides whether staff may publish. */
function Publication({ classId, question: { questionId, state } }: AskerProps) {
  const id = useId();
  const deciding = useNoticedCommand('decidePublication', { refreshes });
  if (state === 'open' || state === 'done') return null;
  const choices = [
    [true, 'agreed', getText('questions.private.yes')],
    [false, 'refused', getText('questions.private.no')],
  ] as const;
  return (
    <section className="card stack-s start" aria-labelledby={id}>
      <p id={id} className="strong">
        {getText('questions.private.mayWe')}
      </p>
      <p>{getText('questions.private.mayWe.hint')}</p>
      <div className="segments wrap">
        {choices.map(([agreed, decided, text]) => (
          <button
            key={decided}
            type="button"
            aria-pressed={state === decided}
            aria-disabled={deciding.isPending}
            onClick={() => {
              if (deciding.isPending) return;
              deciding.mutate({ params: { classId, questionId }, body: { agreed } });
            }}
          >
            {text}
          </button>
        ))}
      </div>
    </section>
  );
}

function Withdraw({ classId, question: { questionId } }: AskerProps) {
  const { confirm } = useDialogs();
  const withdrawing = useNoticedCommand('withdrawPrivate', { refreshes });
  const withdraw = async () => {
    const action = { label: getText('moderation.withdraw'), danger: true };
    if (!(await confirm(getText('questions.private.withdraw.confirm'), action))) return;
    withdrawing.mutate({ params: { classId, questionId } });
  };
  return (
    <div className={styles.actions}>
      <TextButton aria-disabled={withdrawing.isPending} onClick={() => void withdraw()}>
        {getText('moderation.withdraw')}
      </TextButton>
    </div>
  );
}
