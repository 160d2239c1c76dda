// Asks a poll: its question, two to eight options, who sees the counts when, and when it closes. It loads on demand.
import { useEffect, useRef, useState } from 'react';
import { attempt } from '#web/attempt.ts';
import { limits, pollLimits } from '#contract/limits.ts';
import { isBlank } from '#contract/text.ts';
import { type PollDraft, pollDrafts } from '#web/data/drafts.ts';
import { formatCount, formatQuantity, toLocalMinute } from '#web/format.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import type { DraftSpeaker } from './send-state.ts';
import { useSendQuestion } from './use-send-question.ts';

interface Props {
  classId: string;
  room: Pick<Room, 'postPoll'>;
  /** The draft of the composer, with which the question begins. */
  mentions: { text: string; clear: () => void };
  speaker: DraftSpeaker;
  onClose: () => void;
}

const hour = 60;
const day = 24 * hour;
const presets = [
  { label: '10 minutes', minutes: 10 },
  { label: '1 hour', minutes: hour },
  { label: '1 day', minutes: day },
  { label: '1 week', minutes: 7 * day },
];
const ownTime = 'own';

export function PollDialog({ classId, room, mentions, speaker, onClose }: Props) {
  const [draft, setDraft] = useState(() => pollDrafts.get(classId) ?? startDraft(mentions.text));
  const { question, options, several, resultsAfter, closing, closesAt } = draft;
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
  const problems = findProblems(draft);
  const shownProblems = isRejected ? problems : noProblems;

  const submit = () => {
    setIsRejected(true);
    if (Object.values(problems).some((problem) => problem !== null)) return;
    const filledOptions = listFilled(options);
    if (!attempt(() => detail.maySend([question, ...filledOptions]), true)) return;
    const minutes = toMinutes(closing, closesAt);
    room.postPoll(question, { options: filledOptions, several, resultsAfter, minutes });
    // The member may have typed another message since.
    if (mentions.text === draft.startText) mentions.clear();
    discard();
  };
  const asStaff = speaker.staffName === null ? '' : ` as ${speaker.staffName}`;
  return (
    <FormDialog
      title={`Ask a poll${asStaff}`}
      text={`No one sees who voted. Counts appear when ${pollLimits.voters} people have voted.`}
      submitLabel={`Ask${asStaff}`}
      isPending={false}
      error={detail.detail && `This looks like ${detail.detail}. To ask anyway, press Ask again.`}
      onSubmit={submit}
      onCancel={discard}
      onEsc={onClose}
    >
      <TextAreaField
        label="Question"
        dir="auto"
        data-first-focus
        value={question}
        problem={shownProblems.question}
        onChange={({ target }) => change({ question: target.value })}
      />
      <OptionFields
        options={options}
        problem={shownProblems.options}
        onChange={(newOptions) => change({ options: newOptions })}
      />
      <SelectField
        label="People choose"
        value={String(several)}
        onChange={({ target }) => change({ several: target.value === 'true' })}
      >
        <option value="false">One option</option>
        <option value="true">Several options</option>
      </SelectField>
      <SelectField
        label="Who sees the result"
        value={resultsAfter}
        onChange={({ target }) =>
          change({ resultsAfter: target.value as PollDraft['resultsAfter'] })
        }
      >
        <option value="vote">People who have voted</option>
        <option value="closing">Everyone, after the poll has closed</option>
      </SelectField>
      <SelectField
        label="Closes"
        value={closing}
        onChange={({ target }) => change({ closing: target.value })}
      >
        {presets.map(({ label, minutes }) => (
          <option key={minutes} value={minutes}>
            In {label}
          </option>
        ))}
        <option value={ownTime}>At another time</option>
      </SelectField>
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

interface OptionProps {
  options: readonly string[];
  problem: string | null;
  onChange: (options: readonly string[]) => void;
}

function OptionFields({ options, problem, onChange }: OptionProps) {
  const lastField = useRef<HTMLInputElement>(null);
  const lastCount = useRef(options.length);
  useEffect(() => {
    if (options.length > lastCount.current) lastField.current?.focus();
    lastCount.current = options.length;
  }, [options]);
  return (
    <>
      {options.map((option, n) => (
        <TextField
          key={n}
          ref={n === options.length - 1 ? lastField : undefined}
          label={`Option ${n + 1}`}
          dir="auto"
          autoComplete="off"
          maxLength={pollLimits.option}
          value={option}
          problem={n === 0 ? problem : null}
          onChange={({ target }) => onChange(options.with(n, target.value))}
        />
      ))}
      {options.length < pollLimits.options && (
        <Button onClick={() => onChange([...options, ''])}>Add an option</Button>
      )}
    </>
  );
}

function startDraft(text: string): PollDraft {
  return {
    startText: text,
    question: text,
    options: ['', ''],
    several: false,
    resultsAfter: 'vote',
    closing: String(day),
    closesAt: toLocalMinute(Date.now() + day * 60_000),
  };
}

/** An empty field is no option. */
const listFilled = (options: readonly string[]) =>
  options.map((option) => option.trim()).filter((option) => !isBlank(option));

function toMinutes(closing: string, closesAt: string): number {
  return closing === ownTime
    ? Math.ceil((Date.parse(closesAt) - Date.now()) / 60_000)
    : Number(closing);
}

const noProblems: ReturnType<typeof findProblems> = {
  question: null,
  options: null,
  closesAt: null,
};

function findProblems({ question, options, closing, closesAt }: PollDraft) {
  const filledOptions = listFilled(options);
  const minutes = toMinutes(closing, closesAt);
  const isTimeValid = minutes >= 1 && minutes <= pollLimits.minutes;
  return {
    question: findQuestionProblem(question),
    options: findOptionsProblem(filledOptions),
    closesAt: isTimeValid
      ? null
      : `Please choose a time in the next ${formatQuantity(pollLimits.minutes / day, 'day')}.`,
  };
}

function findQuestionProblem(question: string): string | null {
  if (isBlank(question)) return 'Please type a question.';
  if (question.trim().length <= limits.messageText) return null;
  return `At most ${formatCount(limits.messageText)} characters. Please shorten the question.`;
}

function findOptionsProblem(filledOptions: readonly string[]): string | null {
  if (filledOptions.length < pollLimits.optionsMin) return 'Please type at least two options.';
  if (new Set(filledOptions).size < filledOptions.length) return 'Two options are the same.';
  return null;
}
