// Asks a poll. It loads on demand.
import { useState } from 'react';
import { attempt } from '#web/attempt.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { pollLimits } from '#contract/limits.ts';
import { type PollDraft, pollDrafts } from '#web/data/drafts.ts';
import { formatQuantity, toLocalMinute } from '#web/format.ts';
import type { Room } from '#web/sync/room/room.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import {
  day,
  findOptionsProblem,
  findQuestionProblem,
  listFilled,
  PollFields,
  withLecture,
} from '../polls/poll-fields.tsx';
import type { DraftSpeaker } from './send-state.ts';
import { useSendQuestion } from './use-send-question.ts';

interface Props {
  classId: string;
  room: Pick<Room, 'postPoll' | 'getSnapshot' | 'serverNow'>;
  /** The draft of the composer, with which the question begins. */
  mentions: { text: string; clear: () => void };
  speaker: DraftSpeaker;
  onClose: () => void;
}

const ownTime = 'own';

export function PollDialog({ classId, room, mentions, speaker, onClose }: Props) {
  const hasLecture = isLectureOn(room.getSnapshot().settings.lecture, room.serverNow());
  const [draft, setDraft] = useState(
    () => pollDrafts.get(classId) ?? startDraft(mentions.text, hasLecture),
  );
  const { question, options, several, resultsAfter, closesAt } = draft;
  // The lecture can end while the poll is written.
  const closing = draft.closing === withLecture && !hasLecture ? '10' : draft.closing;
  const change = (changes: Partial<PollDraft>) => {
    const newDraft = { ...draft, ...changes };
    setDraft(newDraft);
    pollDrafts.set(classId, newDraft);
  };
  const discard = () => {
    pollDrafts.delete(classId);
    onClose();
  };
  /** The last attempt was incomplete. */
  const [isRejected, setIsRejected] = useState(false);
  const detail = useSendQuestion();
  const filledOptions = listFilled(options);
  const minutes = toMinutes(closing, closesAt);
  const problems = {
    question: findQuestionProblem(question),
    options: findOptionsProblem(filledOptions),
    closesAt: closing === withLecture ? null : findTimeProblem(minutes),
  };
  const shownProblems = isRejected ? problems : noProblems;

  const submit = () => {
    setIsRejected(true);
    if (Object.values(problems).some((problem) => problem !== null)) return;
    if (!attempt(() => detail.maySend([question, ...filledOptions]), true)) return;
    room.postPoll(question, { options: filledOptions, several, resultsAfter, minutes });
    // The member may have typed another message since.
    if (mentions.text === draft.startText) mentions.clear();
    discard();
  };
  const asStaff = speaker.staffName === null ? '' : ` as ${speaker.staffName}`;
  return (
    <FormDialog
      title={`New poll${asStaff}`}
      text={`No one sees who voted. Counts appear from ${pollLimits.voters} votes.`}
      submitLabel={`Ask${asStaff}`}
      isPending={false}
      error={detail.detail && `This looks like ${detail.detail}. To ask anyway, press Ask again.`}
      onSubmit={submit}
      onCancel={discard}
      onEsc={onClose}
    >
      <PollFields
        draft={{ ...draft, closing }}
        problems={shownProblems}
        hasLecture={hasLecture}
        onChange={change}
      >
        <option value={ownTime}>At another time</option>
      </PollFields>
      {closing === ownTime && (
        <TextField
          label="Closing time"
          type="datetime-local"
          value={closesAt}
          problem={shownProblems.closesAt}
          onChange={({ target }) => change({ closesAt: target.value })}
        />
      )}
    </FormDialog>
  );
}

function startDraft(text: string, hasLecture: boolean): PollDraft {
  return {
    startText: text,
    question: text,
    options: ['', ''],
    several: false,
    resultsAfter: 'vote',
    closing: hasLecture ? withLecture : String(day),
    closesAt: toLocalMinute(Date.now() + day * 60_000),
  };
}

/** @returns 0 for a poll that closes with the lecture */
function toMinutes(closing: string, closesAt: string): number {
  if (closing === withLecture) return 0;
  if (closing === ownTime) return Math.ceil((Date.parse(closesAt) - Date.now()) / 60_000);
  return Number(closing);
}

const noProblems = { question: null, options: null, closesAt: null };

function findTimeProblem(minutes: number): string | null {
  if (minutes >= 1 && minutes <= pollLimits.minutes) return null;
  return `Please choose a time in the next ${formatQuantity(pollLimits.minutes / day, 'day')}.`;
}
