import { limits } from '#contract/limits.ts';
import { ClassChoice } from '#web/data/class-choice.tsx';
import { useCommand } from '#web/data/use-call.ts';
import { toLocalMinute } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
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
      notify({ text: getText('announcements.new.done') });
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
      text: text.trim() === '' ? getText('announcements.new.textMissing') : null,
      classId:
        audience === 'class' && classId === null ? getText('announcements.new.classMissing') : null,
      end: Number.isNaN(Date.parse(end)) ? getText('announcements.new.endMissing') : null,
    }),
    onSubmit: ({ text, end, audience, classId }) =>
      announcing.mutate({
        body: { text, classId: audience === 'class' ? classId : null, endsAt: Date.parse(end) },
      }),
  });
  const { text, audience, classId } = form.fields;
  return (
    <FormDialog
      title={getText('announcements.new.title')}
      text={getText('announcements.new.lead')}
      submitLabel={getText('announcements.new.submit')}
      pendingLabel={getText('announcements.new.announcing')}
      form={form}
      onCancel={onClose}
    >
      <TextAreaField
        label={getText('announcements.new.text')}
        hint={getText('announcements.new.textHint', { count: text.length })}
        dir="auto"
        rows={3}
        maxLength={limits.announcementText}
        {...form.bind('text')}
      />
      <SelectField label={getText('announcements.new.audience')} {...form.bind('audience')}>
        <option value="everyone">{getText('announcements.new.everyone')}</option>
        <option value="class">{getText('announcements.new.class')}</option>
      </SelectField>
      {audience === 'class' && (
        <ClassChoice
          classId={classId}
          problem={form.problems.classId}
          onChoose={(selectedId) => form.change({ classId: selectedId })}
        />
      )}
      <TextField
        label={getText('announcements.new.end')}
        type="datetime-local"
        hint={getText('announcements.new.endHint')}
        {...form.bind('end')}
      />
      {text.trim() !== '' && (
        <div className={styles.preview}>
          <p>{getText('announcements.new.preview')}</p>
          <p className={`${styles.frame} ${styles.text}`} dir="auto">
            {text.trim()}
          </p>
        </div>
      )}
    </FormDialog>
  );
}

const dayMs = 86_400_000;
