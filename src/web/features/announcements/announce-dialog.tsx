import { limits } from '#contract/limits.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { useCommand } from '#web/data/use-call.ts';
import { toLocalMinute } from '#web/format.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './announcements-page.module.css';

/** Makes an announcement. If the server rejects it or cannot be reached, the typed text stays. */
export function AnnounceDialog({ onClose }: { onClose: () => void }) {
  const notify = useNotify();
  const announcing = useCommand('announce', {
    refreshes: ['listAnnouncements'],
    onSuccess() {
      notify({ text: 'The announcement is shown.' });
      onClose();
    },
  });
  const form = useForm({
    fields: () => ({
      text: '',
      end: toLocalMinute(Date.now() + dayMs),
      audience: 'everyone' as 'everyone' | 'class',
      classId: null as string | null,
    }),
    command: announcing,
    findProblems: ({ text, end, audience, classId }) => ({
      text: text.trim() === '' ? 'Please write the text of the announcement.' : null,
      classId: audience === 'class' && classId === null ? 'Please choose a class.' : null,
      end: Number.isNaN(Date.parse(end)) ? 'Please enter the end as a date with a time.' : null,
    }),
    onSubmit: ({ text, end, audience, classId }) =>
      announcing.mutate({
        body: { text, classId: audience === 'class' ? classId : null, endsAt: Date.parse(end) },
      }),
  });
  const { text, audience, classId } = form.fields;
  return (
    <FormDialog
      title="Announce"
      text="A text cannot be changed later: withdraw it and announce another one."
      submitLabel="Announce"
      pendingLabel="Announcing…"
      form={form}
      onCancel={onClose}
    >
      <TextAreaField
        label="Text"
        hint={`Plain text. Addresses become links. ${text.length} of ${limits.announcementText} characters.`}
        dir="auto"
        rows={3}
        maxLength={limits.announcementText}
        {...form.bind('text')}
      />
      <SelectField label="For" {...form.bind('audience')}>
        <option value="everyone">Everyone who is signed in</option>
        <option value="class">The members of one class</option>
      </SelectField>
      {audience === 'class' && (
        <ClassChoice
          classId={classId}
          problem={form.problems.classId}
          onChoose={(selectedId) => form.change({ classId: selectedId })}
        />
      )}
      <TextField
        label="End"
        type="datetime-local"
        hint="In your time zone, at most 366 days from now."
        {...form.bind('end')}
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
