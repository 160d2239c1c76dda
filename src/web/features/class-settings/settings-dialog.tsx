// The settings of a class: moderators set slow mode, read-only, pictures, pinned messages, description and rules
// (here), and members read them with the details of the class (`details-dialog.tsx`). Two moderators may change
// them at the same time, so `settings-changes.ts` saves only what one changed and says what the other changed
// meanwhile.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type SubmitEvent, useId, useState, useSyncExternalStore } from 'react';
import { RefusedError } from '#web/refused-error.ts';
import { limits } from '#contract/limits.ts';
import type { CallReply } from '#contract/http.ts';
import { call, errorMessage } from '#web/api.ts';
import { classSettingsKey, useClassSettings } from '#web/data/class-settings.ts';
import { readSettingsDraft, saveSettingsDraft } from '#web/data/drafts.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { PinsField } from './pins-field.tsx';
import {
  changesToSave,
  conflictsOf,
  type Field,
  type Fields,
  withChanges,
} from './settings-changes.ts';
import { describeValue, pauseLabel, pauses } from './settings-texts.ts';
import styles from './class-settings.module.css';

interface Props {
  classId: string;
  label: string;
  room: Room;
  onClose: () => void;
}

/** Changes what moderators set for a class. Esc keeps what was typed until the dialog opens again. */
export function SettingsDialog({ classId, label, room, onClose }: Props) {
  const form = useId();
  const known = useSyncExternalStore(room.subscribe, () => room.getSnapshot().settings);
  const read = useClassSettings(classId, known);
  const [isSaving, setIsSaving] = useState(false);
  const close = () => {
    saveSettingsDraft(classId, null);
    onClose();
  };
  return (
    <Modal
      title={`Settings of ${label}`}
      text="Changes apply to all members at once. Members do not see who made them."
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button
            variant="primary"
            type="submit"
            form={form}
            aria-disabled={isSaving || !read.data}
          >
            {isSaving ? 'Saving…' : 'Save'}
          </Button>
        </>
      }
    >
      {read.data ? (
        <SettingsForm
          id={form}
          classId={classId}
          label={label}
          read={read.data}
          onSaving={setIsSaving}
          onDone={close}
        />
      ) : read.isError ? (
        <div className={styles.failed} role="alert">
          <p>{errorMessage(read.error)}</p>
          <Button onClick={() => void read.refetch()}>Retry</Button>
        </div>
      ) : (
        <div className={styles.form} role="status" aria-label="Loading">
          <Skeleton width="40%" />
          <Skeleton width="100%" height={44} />
          <Skeleton width="60%" />
          <Skeleton width="100%" height={88} />
        </div>
      )}
    </Modal>
  );
}

interface FormProps {
  id: string;
  classId: string;
  label: string;
  read: CallReply<'readClassSettings'>;
  onSaving: (isSaving: boolean) => void;
  onDone: () => void;
}

function SettingsForm({ id, classId, label, read, onSaving, onDone }: FormProps) {
  const notify = useNotify();
  const client = useQueryClient();
  const { settings: current } = read;
  const [draft, setDraft] = useState(
    () => readSettingsDraft(classId) ?? { base: current, changes: {} },
  );
  const [problem, setProblem] = useState<string | null>(null);
  const shown = withChanges(current, draft);
  const conflicts = conflictsOf(current, draft);
  const change = (fields: Partial<Fields>) => {
    const next = { ...draft, changes: { ...draft.changes, ...fields } };
    setDraft(next);
    setProblem(null);
    saveSettingsDraft(classId, next);
  };
  const takeTheirs = (field: Field) => {
    const { [field]: _, ...changes } = draft.changes;
    const next = { base: draft.base, changes };
    setDraft(next);
    setProblem(null);
    saveSettingsDraft(classId, next);
  };

  const saving = useMutation({
    mutationFn: async () => {
      let { settings } = read;
      for (;;) {
        try {
          const changes = changesToSave(settings, draft);
          if (Object.keys(changes).length === 0) return;
          const body = { version: settings.version, ...changes };
          await call('changeClassSettings', { params: { classId }, body });
          return;
        } catch (error) {
          if (!(error instanceof RefusedError) || error.code !== 'SETTINGS_CHANGED') throw error;
          const latest = await call('readClassSettings', { params: { classId } });
          // What another moderator changed is no conflict if this one did not change it.
          if (conflictsOf(latest.settings, draft).length > 0) throw error;
          ({ settings } = latest);
        }
      }
    },
    onMutate: () => onSaving(true),
    onSettled: () => {
      onSaving(false);
      void client.invalidateQueries({ queryKey: ['class', classId] });
    },
    onSuccess: () => {
      notify({ text: `The settings of ${label} are saved.` });
      onDone();
    },
    onError: (error) => {
      setProblem(errorMessage(error));
      void client.invalidateQueries({ queryKey: classSettingsKey(classId) });
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (saving.isPending) return;
    const tooLong = [shown.description, shown.rules].some(
      (text) => text.trim().length > limits.classText,
    );
    if (tooLong) return setProblem('Description and rules can have at most 2,000 characters each.');
    saving.mutate();
  };
  const conflictNote = (field: Field): ReactNode =>
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
    <form id={id} className={styles.form} onSubmit={submit} noValidate>
      <div>
        <SelectField
          label="Slow mode: one message from each member"
          data-first-focus
          value={shown.slowModeSeconds}
          onChange={({ target }) => change({ slowModeSeconds: Number(target.value) })}
        >
          {pauses(shown.slowModeSeconds).map((seconds) => (
            <option key={seconds} value={seconds}>
              {pauseLabel(seconds)}
            </option>
          ))}
        </SelectField>
        {conflictNote('slowModeSeconds')}
      </div>
      <Toggle
        label="Read-only, for example during an exam"
        hint="Members can read and delete their own messages. You cannot write either, because it would show which member you are."
        checked={shown.readOnly}
        onChange={(readOnly) => change({ readOnly })}
      >
        {conflictNote('readOnly')}
      </Toggle>
      <Toggle
        label="No pictures and PDFs"
        hint="Those that were sent stay."
        checked={shown.picturesOff}
        onChange={(picturesOff) => change({ picturesOff })}
      >
        {conflictNote('picturesOff')}
      </Toggle>
      <div>
        <TextAreaField
          label="Description"
          hint={hintOf(shown.description)}
          dir="auto"
          value={shown.description}
          aria-invalid={shown.description.trim().length > limits.classText}
          onChange={({ target }) => change({ description: target.value })}
        />
        {conflictNote('description')}
      </div>
      <div>
        <TextAreaField
          label="Rules"
          hint={hintOf(shown.rules)}
          dir="auto"
          value={shown.rules}
          aria-invalid={shown.rules.trim().length > limits.classText}
          onChange={({ target }) => change({ rules: target.value })}
        />
        {conflictNote('rules')}
      </div>
      <div>
        <PinsField pins={shown.pins} read={read} onChange={(pins) => change({ pins })} />
        {conflictNote('pins')}
      </div>
      <Callout kind="error">{problem}</Callout>
    </form>
  );
}

/** Students see the text before they join. */
function hintOf(text: string): string {
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
