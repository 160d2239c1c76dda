import { useState } from 'react';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { useCommand } from '#web/data/use-call.ts';
import { toLocalMinute } from '#web/format.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './announcements-page.module.css';

/** Makes an announcement. If the server rejects it or cannot be reached, the typed text stays. */
export function AnnounceDialog({ onClose }: { onClose: () => void }) {
  const notify = useNotify();
  const announcing = useCommand('announce', { refreshes: ['listAnnouncements'] });
  const [text, setText] = useState('');
  const [end, setEnd] = useState(() => toLocalMinute(Date.now() + dayMs));
  const [isForClass, setIsForClass] = useState(false);
  const [classId, setClassId] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  /** The last attempt was rejected: wrong fields are marked until they are corrected. */
  const [isRejected, setIsRejected] = useState(false);
  const change = <Value,>(set: (value: Value) => void, value: Value) => {
    set(value);
    setError(null);
  };
  const endsAt = new Date(end).getTime();
  const problems = {
    text: text.trim() === '' ? 'Please write the text of the announcement.' : null,
    classId: isForClass && classId === null ? 'Please choose a class.' : null,
    end: Number.isNaN(endsAt) ? 'Please enter the end as a date with a time.' : null,
  };
  const shownProblems: Partial<typeof problems> = isRejected ? problems : {};
  const submit = () => {
    const hasProblem = Object.values(problems).some(Boolean);
    setIsRejected(hasProblem);
    if (hasProblem) return;
    announcing.mutate(
      { body: { text, classId: isForClass ? classId : null, endsAt } },
      {
        onSuccess() {
          notify({ text: 'The announcement is shown.' });
          onClose();
        },
        onError: (failure) => setError(toErrorMessage(failure)),
      },
    );
  };
  return (
    <FormDialog
      title="Announce"
      text="A text cannot be changed later: withdraw it and announce another one."
      submitLabel={announcing.isPending ? 'Announcing…' : 'Announce'}
      isPending={announcing.isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      <TextAreaField
        label="Text"
        hint={`Plain text. Addresses become links. ${text.length} of ${limits.announcementText} characters.`}
        dir="auto"
        rows={3}
        maxLength={limits.announcementText}
        value={text}
        problem={shownProblems.text}
        onChange={({ target }) => change(setText, target.value)}
      />
      <SelectField
        label="For"
        value={isForClass ? 'class' : 'everyone'}
        onChange={({ target }) => change(setIsForClass, target.value === 'class')}
      >
        <option value="everyone">Everyone who is signed in</option>
        <option value="class">The members of one class</option>
      </SelectField>
      {isForClass && (
        <ClassChoice
          classId={classId}
          problem={shownProblems.classId}
          onChoose={(selectedId) => change(setClassId, selectedId)}
        />
      )}
      <TextField
        label="End"
        type="datetime-local"
        hint="In your time zone, at most 366 days from now."
        value={end}
        problem={shownProblems.end}
        onChange={({ target }) => change(setEnd, target.value)}
      />
      {text.trim() !== '' && (
        <div className={styles.preview}>
          <p>Preview</p>
          <p className={`${styles.frame} ${styles.text}`} dir="auto">
            {text.trim()}
          </p>
        </div>
      )}
    </FormDialog>
  );
}

const dayMs = 86_400_000;
