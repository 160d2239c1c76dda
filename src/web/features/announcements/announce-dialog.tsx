import { useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { useAllClasses } from '#web/data/admin.ts';
import { useAnnounce } from './announcements.ts';
import { formatClassName } from '#web/data/class-details.ts';
import { toLocalMinute } from '#web/format.ts';
import { Callout } from '#web/ui/callout.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './announcements-page.module.css';

/** Makes an announcement. If the server rejects it or cannot be reached, the typed text stays. */
export function AnnounceDialog({ onClose }: { onClose: () => void }) {
  const notify = useNotify();
  const announcing = useAnnounce();
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
      { text, classId: isForClass ? classId : null, endsAt },
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

interface ChoiceProps {
  classId: string | null;
  problem: string | null | undefined;
  onChoose: (classId: string | null) => void;
}

/** The search of /admin/classes, without deleted classes. */
function ClassChoice({ classId, problem, onChoose }: ChoiceProps) {
  const [words, setWords] = useState('');
  const query = words.trim();
  const { data, isError, error } = useAllClasses(query ? { query } : {});
  const activeClasses =
    data?.classes.filter(({ restorableUntil }) => restorableUntil === null) ?? [];
  return (
    <>
      <TextField
        label="Search a class"
        type="search"
        dir="auto"
        autoComplete="off"
        maxLength={limits.searchQuery}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          // The chosen class may no longer be on screen.
          onChoose(null);
        }}
      />
      <SelectField
        label="Class"
        value={classId ?? ''}
        problem={problem}
        onChange={({ target }) => onChoose(target.value || null)}
      >
        <option value="">
          {data && activeClasses.length === 0 ? 'No class fits these words' : 'Select a class'}
        </option>
        {activeClasses.map((listedClass) => (
          <option key={listedClass.classId} value={listedClass.classId}>
            {[
              toClassLabel(listedClass),
              formatClassName(listedClass),
              listedClass.semesterSeason,
              listedClass.year,
            ]
              .filter(Boolean)
              .join(', ')}
          </option>
        ))}
      </SelectField>
      <Callout kind="error">{isError ? toErrorMessage(error) : null}</Callout>
    </>
  );
}

const dayMs = 86_400_000;
