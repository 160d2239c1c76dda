// Asks a poll. It loads on demand.
import { attempt } from '#web/attempt.ts';
import { isLectureOn } from '#contract/lecture-times.ts';
import { pollLimits } from '#contract/limits.ts';
import { type PollDraft, pollDrafts } from '#web/data/drafts.ts';
import { toLocalMinute } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { useForm } from '#web/ui/form.tsx';
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
  // The lecture can end while the poll is written.
  const toClosing = (closing: string) => (closing === withLecture && !hasLecture ? '10' : closing);
  const countMinutes = ({ closing, closesAt }: PollDraft) =>
    toMinutes(toClosing(closing), closesAt);
  const sendQuestion = useSendQuestion();
  const discard = () => {
    pollDrafts.delete(classId);
    onClose();
  };
  const form = useForm({
    fields: () => pollDrafts.get(classId) ?? startDraft(mentions.text, hasLecture),
    onChange: (draft) => pollDrafts.set(classId, draft),
    findProblems: (draft) => ({
      question: findQuestionProblem(draft.question),
      options: findOptionsProblem(listFilled(draft.options)),
      closesAt:
        toClosing(draft.closing) === withLecture ? null : findTimeProblem(countMinutes(draft)),
    }),
    onSubmit: (draft) =>
      sendQuestion.whenLoaded(draft.question, () => {
        // While the check loaded, the dialog was closed or the poll changed.
        if (!form.ref.current || (pollDrafts.get(classId) ?? draft) !== draft) return;
        const { question, several, resultsAfter } = draft;
        const options = listFilled(draft.options);
        if (!attempt(() => sendQuestion.maySend([question, ...options]), true)) return;
        const minutes = countMinutes(draft);
        room.postPoll(question, { options, several, resultsAfter, minutes });
        // The member may have typed another message since.
        if (mentions.text === draft.startText) mentions.clear();
        discard();
      }),
  });
  const closing = toClosing(form.fields.closing);
  const { staffName } = speaker;
  const { warning } = sendQuestion;
  return (
    <FormDialog
      title={
        staffName === null ? getText('chat.poll.new') : getText('chat.poll.newAs', { staffName })
      }
      text={getText('chat.poll.privacy')}
      submitLabel={
        staffName === null
          ? getText('chat.composer.ask')
          : getText('chat.composer.askAs', { staffName })
      }
      form={form}
      error={warning && getText('chat.personal.confirmPoll', { warning })}
      onCancel={discard}
      onEsc={onClose}
    >
      <PollFields
        draft={{ ...form.fields, closing }}
        problems={form.problems}
        hasLecture={hasLecture}
        onChange={form.change}
      >
        <option value={ownTime}>{getText('chat.poll.ownTime')}</option>
      </PollFields>
      {closing === ownTime && (
        <TextField
          label={getText('chat.poll.closingTime')}
          type="datetime-local"
          {...form.bind('closesAt')}
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

function findTimeProblem(minutes: number): string | null {
  if (minutes >= 1 && minutes <= pollLimits.minutes) return null;
  return getText('chat.poll.closingTimeInvalid', { count: pollLimits.minutes / day });
}
