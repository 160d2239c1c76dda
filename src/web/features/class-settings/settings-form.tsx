import { type ReactNode, useId } from 'react';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { PinsField } from './pins-field.tsx';
import type { Field } from './settings-changes.ts';
import { describeValue, pauseLabel, listPauses } from './settings-texts.ts';
import { useSettingsDraft } from './use-settings-draft.ts';
import styles from './class-settings.module.css';

interface Props {
  id: string;
  classId: string;
  label: string;
  read: CallReply<'readClassSettings'>;
  onSaving: (isSaving: boolean) => void;
  onDone: () => void;
}

export function SettingsForm({ id, classId, label, read, onSaving, onDone }: Props) {
  const notify = useNotify();
  const { settings: current } = read;
  const { shown, conflicts, problem, change, takeTheirs, save } = useSettingsDraft({
    classId,
    current,
    onSaving,
    onSaved() {
      notify({ text: `The settings of ${label} are saved.` });
      onDone();
    },
  });
  const renderConflictNote = (field: Field): ReactNode =>
    conflicts.includes(field) && (
      <div className={styles.conflict} role="alert">
        <p>
          Another moderator changed this meanwhile, to: <bdi>{describeValue(current, field)}</bdi>
        </p>
        <Button variant="plain" onClick={() => takeTheirs(field)}>
          Use theirs
        </Button>
      </div>
    );

  return (
    <form
      id={id}
      className={styles.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div>
        <SelectField
          label="Slow mode: one message from each member"
          data-first-focus
          value={shown.slowModeSeconds}
          onChange={({ target }) => change({ slowModeSeconds: Number(target.value) })}
        >
          {listPauses(shown.slowModeSeconds).map((seconds) => (
            <option key={seconds} value={seconds}>
              {pauseLabel(seconds)}
            </option>
          ))}
        </SelectField>
        {renderConflictNote('slowModeSeconds')}
      </div>
      <Toggle
        label="Read-only, for example during an exam"
        hint="Members can read and delete their own messages. You cannot write either, because it would show which member you are."
        checked={shown.readOnly}
        onChange={(readOnly) => change({ readOnly })}
      >
        {renderConflictNote('readOnly')}
      </Toggle>
      <Toggle
        label="No pictures and PDFs"
        hint="Those that were sent stay."
        checked={shown.picturesOff}
        onChange={(picturesOff) => change({ picturesOff })}
      >
        {renderConflictNote('picturesOff')}
      </Toggle>
      <div>
        <TextAreaField
          label="Description"
          hint={toHint(shown.description)}
          dir="auto"
          value={shown.description}
          aria-invalid={shown.description.trim().length > limits.classText}
          onChange={({ target }) => change({ description: target.value })}
        />
        {renderConflictNote('description')}
      </div>
      <div>
        <TextAreaField
          label="Rules"
          hint={toHint(shown.rules)}
          dir="auto"
          value={shown.rules}
          aria-invalid={shown.rules.trim().length > limits.classText}
          onChange={({ target }) => change({ rules: target.value })}
        />
        {renderConflictNote('rules')}
      </div>
      <div>
        <PinsField pins={shown.pins} read={read} onChange={(pins) => change({ pins })} />
        {renderConflictNote('pins')}
      </div>
      <Callout kind="error">{problem}</Callout>
    </form>
  );
}

/** Students see the text before they join. */
function toHint(text: string): string {
  const { length } = text.trim();
  if (length <= limits.classText - 200) {
    return 'Shown before joining and in the class’s details. Markdown works as in messages.';
  }
  return `${length.toLocaleString('en')} of 2,000 characters`;
}

interface ToggleProps {
  label: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
}

function Toggle({ label, hint, checked, onChange, children }: ToggleProps) {
  const id = useId();
  return (
    <div>
      <label className={styles.toggle}>
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={id}
          onChange={({ target }) => onChange(target.checked)}
        />
        {label}
      </label>
      <p className={styles.hint} id={id}>
        {hint}
      </p>
      {children}
    </div>
  );
}
