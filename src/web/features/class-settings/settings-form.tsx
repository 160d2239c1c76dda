import { type ReactNode, useEffect, useId, useRef } from 'react';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { PinsField } from './pins-field.tsx';
import { QuietTimesField } from './quiet-times-field.tsx';
import type { Field } from './settings-changes.ts';
import { describeValue, toPauseLabel, listPauses } from './settings-texts.ts';
import { useSettingsDraft } from './use-settings-draft.ts';
import styles from './class-settings.module.css';

interface Props {
  id: string;
  classId: string;
  label: string;
  classSettings: CallReply<'readClassSettings'>;
  serverNow: Room['serverNow'];
  onSaving: (isSaving: boolean) => void;
  onDone: () => void;
}

export function SettingsForm(props: Props) {
  const { id, classId, label, classSettings, serverNow, onSaving, onDone } = props;
  const notify = useNotify();
  const { settings: current } = classSettings;
  const { shownSettings, conflicts, problem, change, acceptOtherChange, save } = useSettingsDraft({
    classId,
    current,
    serverNow,
    onSaving,
    onSaved() {
      notify({ text: getText('classSettings.dialog.done', { className: label }) });
      onDone();
    },
  });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The sentence can be below what is visible.
    if (problem !== null) form.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [problem]);
  const renderConflictNote = (field: Field): ReactNode =>
    conflicts.includes(field) && (
      <div className={styles.conflict} role="alert">
        <p>
          {getRichText('classSettings.conflict.text', {
            value: describeValue(current, field),
            bdi: <bdi />,
          })}
        </p>
        <Button variant="plain" onClick={() => acceptOtherChange(field)}>
          {getText('classSettings.conflict.accept')}
        </Button>
      </div>
    );

  return (
    <form
      ref={form}
      id={id}
      className="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <div>
        <SelectField
          label={getText('classSettings.slowMode.label')}
          data-first-focus
          value={shownSettings.slowModeSeconds}
          onChange={({ target }) => change({ slowModeSeconds: Number(target.value) })}
        >
          {listPauses(shownSettings.slowModeSeconds).map((seconds) => (
            <option key={seconds} value={seconds}>
              {toPauseLabel(seconds)}
            </option>
          ))}
        </SelectField>
        {renderConflictNote('slowModeSeconds')}
      </div>
      <Toggle
        label={getText('classSettings.readOnly.label')}
        hint={getText('classSettings.readOnly.hint')}
        checked={shownSettings.readOnly}
        onChange={(readOnly) => change({ readOnly })}
      >
        {renderConflictNote('readOnly')}
      </Toggle>
      <div>
        <QuietTimesField
          quietTimes={shownSettings.quietTimes}
          serverNow={serverNow}
          onChange={(quietTimes) => change({ quietTimes })}
        />
        {renderConflictNote('quietTimes')}
      </div>
      <Toggle
        label={getText('classSettings.picturesOff.label')}
        hint={getText('classSettings.picturesOff.hint')}
        checked={shownSettings.picturesOff}
        onChange={(picturesOff) => change({ picturesOff })}
      >
        {renderConflictNote('picturesOff')}
      </Toggle>
      <div>
        <TextAreaField
          label={getText('classSettings.description.label')}
          hint={toHint(shownSettings.description)}
          dir="auto"
          value={shownSettings.description}
          aria-invalid={shownSettings.description.trim().length > limits.classText}
          onChange={({ target }) => change({ description: target.value })}
        />
        {renderConflictNote('description')}
      </div>
      <div>
        <TextAreaField
          label={getText('classSettings.rules.label')}
          hint={toHint(shownSettings.rules)}
          dir="auto"
          value={shownSettings.rules}
          aria-invalid={shownSettings.rules.trim().length > limits.classText}
          onChange={({ target }) => change({ rules: target.value })}
        />
        {renderConflictNote('rules')}
      </div>
      <div>
        <PinsField
          pins={shownSettings.pins}
          classSettings={classSettings}
          onChange={(pins) => change({ pins })}
        />
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
    return getText('classSettings.texts.hint');
  }
  return getText('classSettings.texts.length', { length });
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
      <CheckBox className="medium" checked={checked} aria-describedby={id} onChange={onChange}>
        {label}
      </CheckBox>
      <p className="meta" id={id}>
        {hint}
      </p>
      {children}
    </div>
  );
}
