// The fields of a poll: its question, two to eight options, who sees the counts when, and when it closes.
import { type KeyboardEvent, type ReactNode, useId } from 'react';
import { limits, pollLimits } from '#contract/limits.ts';
import { isBlank } from '#contract/text.ts';
import type { PollDraft } from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { FieldProblem, type FieldTexts, toControlProps } from '#web/ui/form-field.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import styles from './poll-fields.module.css';

const hour = 60;
export const day = 24 * hour;
const presets = [
  { label: getText('chat.poll.in10Minutes'), minutes: 10 },
  { label: getText('chat.poll.in1Hour'), minutes: hour },
  { label: getText('chat.poll.in1Day'), minutes: day },
  { label: getText('chat.poll.in1Week'), minutes: 7 * day },
];
/** Closes when the lecture does. */
export const withLecture = 'lecture';

interface Props {
  draft: PollDraft;
  problems: { question?: FieldTexts['problem']; options?: FieldTexts['problem'] };
  /** Offers to close the poll with the lecture. */
  hasLecture: boolean;
  onChange: (changes: Partial<PollDraft>) => void;
  /** Further ends. */
  children?: ReactNode;
}

export function PollFields({ draft, problems, hasLecture, onChange, children }: Props) {
  const { question, options, several, resultsAfter, closing } = draft;
  return (
    <>
      <TextAreaField
        label={getText('chat.poll.question')}
        dir="auto"
        data-first-focus
        style={{ minHeight: '2.75rem' }}
        enterKeyHint="next"
        value={question}
        problem={problems.question}
        onChange={({ target }) => onChange({ question: target.value })}
        onKeyDown={moveToNextField}
      />
      <OptionFields
        options={options}
        problem={problems.options}
        onChange={(newOptions) => onChange({ options: newOptions })}
      />
      <CheckBox checked={several} onChange={(isChecked) => onChange({ several: isChecked })}>
        {getText('chat.poll.several')}
      </CheckBox>
      <SelectField
        label={getText('chat.poll.results')}
        value={resultsAfter}
        onChange={({ target }) =>
          onChange({ resultsAfter: target.value as PollDraft['resultsAfter'] })
        }
      >
        <option value="vote">{getText('chat.poll.resultsAtOnce')}</option>
        <option value="closing">{getText('chat.poll.resultsAfterClosing')}</option>
      </SelectField>
      <SelectField
        label={getText('chat.poll.closes')}
        value={closing}
        onChange={({ target }) => onChange({ closing: target.value })}
      >
        {hasLecture && <option value={withLecture}>{getText('chat.poll.withLecture')}</option>}
        {presets.map(({ label, minutes }) => (
          <option key={minutes} value={minutes}>
            {label}
          </option>
        ))}
        {children}
      </SelectField>
    </>
  );
}

interface OptionProps {
  options: readonly string[];
  problem: FieldTexts['problem'];
  onChange: (options: readonly string[]) => void;
}

/** The options, of which the last row is empty: typing in it adds the next one. */
function OptionFields({ options, problem, onChange }: OptionProps) {
  const id = useId();
  const change = (n: number, text: string) => {
    const newOptions = options.with(n, text);
    const needsRow = n === options.length - 1 && text !== '' && options.length < pollLimits.options;
    onChange(needsRow ? [...newOptions, ''] : newOptions);
  };
  return (
    <fieldset className={styles.options}>
      <legend>{getText('chat.poll.options')}</legend>
      {options.map((option, n) => (
        <input
          key={n}
          {...(n === 0 && toControlProps(id, { problem }))}
          className={styles.option}
          aria-label={getText('chat.poll.option', { number: n + 1 })}
          placeholder={getText('chat.poll.option', { number: n + 1 })}
          dir="auto"
          autoComplete="off"
          enterKeyHint="next"
          maxLength={pollLimits.option}
          value={option}
          onChange={({ target }) => change(n, target.value)}
          onKeyDown={moveToNextField}
        />
      ))}
      <FieldProblem id={id}>{problem}</FieldProblem>
    </fieldset>
  );
}

/** Enter goes on from the question to the options. In an empty or the last one, it submits the form. */
function moveToNextField(event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>): void {
  const { form, value } = event.currentTarget;
  if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return;
  const fields = [...(form?.querySelectorAll<HTMLElement>('textarea, fieldset input') ?? [])];
  const nextField = fields[fields.indexOf(event.currentTarget) + 1];
  if (value === '' || !nextField) return;
  event.preventDefault();
  nextField.focus();
}

/** An empty field is no option. */
export const listFilled = (options: readonly string[]) =>
  options.map((option) => option.trim()).filter((option) => !isBlank(option));

export function findQuestionProblem(question: string): string | null {
  if (isBlank(question)) return getText('chat.poll.questionBlank');
  if (question.trim().length <= limits.messageText) return null;
  return getText('chat.poll.questionTooLong');
}

export function findOptionsProblem(filledOptions: readonly string[]): string | null {
  if (filledOptions.length < pollLimits.optionsMin) return getText('chat.poll.optionsFew');
  if (new Set(filledOptions).size < filledOptions.length) return getText('chat.poll.optionsEqual');
  return null;
}
