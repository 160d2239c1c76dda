import { useId } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons, weekdays } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import type { CallInput } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { findFieldProblems } from '#web/data/class-field-problems.ts';
import { useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './classes-page.module.css';

type TypedFields = Omit<CallInput<'editClass'>['body'], 'year'> & { year: string };

/** Fields of older classes can be missing. */
function toTypedFields(listedClass: ListedClass): TypedFields {
  return {
    courseName: listedClass.courseName ?? '',
    subjectAbbreviation: listedClass.subjectAbbreviation ?? '',
    courseNumber: listedClass.courseNumber ?? '',
    sectionNumber: listedClass.sectionNumber ?? '',
    semesterSeason: semesterSeasons.find((season) => season === listedClass.semesterSeason) ?? '',
    classSchedule: weekdays.filter((day) => listedClass.classSchedule?.includes(day)),
    beginClassTime: listedClass.beginClassTime ?? '',
    endClassTime: listedClass.endClassTime ?? '',
    year: String(listedClass.year ?? ''),
  };
}

const codeFields = [
  { field: 'subjectAbbreviation', title: getText('classAdmin.edit.subject') },
  { field: 'courseNumber', title: getText('classAdmin.edit.courseNumber') },
  { field: 'sectionNumber', title: getText('classAdmin.edit.section') },
] as const;

/** Says for each wrong field what is wrong with it. */
function findProblems(fields: TypedFields): Partial<Record<keyof TypedFields, string>> {
  const problems = findFieldProblems({ ...fields, classSchedule: [...fields.classSchedule] }, true);
  const isYear = /^\d{4}$/.test(fields.year.trim());
  return isYear ? problems : { ...problems, year: getText('classAdmin.edit.yearMissing') };
}

interface Props {
  listedClass: ListedClass;
  onClose: () => void;
}

export function EditClassDialog({ listedClass, onClose }: Props) {
  const label = toClassLabel(listedClass);
  const notify = useNotify();
  const action = useCommand('editClass', {
    refreshes: ['listAllClasses'],
    onSuccess() {
      notify({ text: getText('classAdmin.edit.done', { className: label }) });
      onClose();
    },
  });
  const form = useForm({
    fields: () => toTypedFields(listedClass),
    command: action,
    findProblems,
    onSubmit: (fields) =>
      action.mutate({
        params: { classId: listedClass.classId },
        body: { ...fields, year: Number(fields.year) },
      }),
  });
  const { fields, problems, change, bind } = form;
  const daysId = useId();
  return (
    <FormDialog
      title={getText('classAdmin.edit.title', { className: label })}
      text={getText('classAdmin.edit.lead')}
      submitLabel={getText('common.save')}
      pendingLabel={getText('common.saving')}
      form={form}
      onCancel={onClose}
    >
      <TextField
        label={getText('classAdmin.edit.courseName')}
        dir="auto"
        maxLength={limits.classField}
        {...bind('courseName')}
      />
      <div className={styles.row}>
        {codeFields.map(({ field, title }) => (
          <TextField key={field} label={title} maxLength={limits.classCode} {...bind(field)} />
        ))}
      </div>
      <div className={styles.row}>
        <SelectField label={getText('classAdmin.edit.season')} {...bind('semesterSeason')}>
          <option value="">{getText('classAdmin.edit.noSeason')}</option>
          {semesterSeasons.map((season) => (
            <option key={season}>{season}</option>
          ))}
        </SelectField>
        <TextField
          label={getText('classAdmin.edit.year')}
          inputMode="numeric"
          maxLength={4}
          {...bind('year')}
        />
      </div>
      <fieldset className={styles.days}>
        <legend>{getText('classAdmin.edit.days')}</legend>
        {weekdays.map((day) => (
          <label key={day} className="check-row">
            <input
              {...toControlProps(daysId, { problem: problems.classSchedule })}
              id={`${daysId}-${day}`}
              type="checkbox"
              checked={fields.classSchedule.includes(day)}
              onChange={({ target }) =>
                change({
                  classSchedule: weekdays.filter((weekday) =>
                    weekday === day ? target.checked : fields.classSchedule.includes(weekday),
                  ),
                })
              }
            />
            {day}
          </label>
        ))}
        <FieldProblem id={daysId}>{problems.classSchedule}</FieldProblem>
      </fieldset>
      <div className={styles.row}>
        <TextField label={getText('classAdmin.begins')} type="time" {...bind('beginClassTime')} />
        <TextField label={getText('classAdmin.ends')} type="time" {...bind('endClassTime')} />
      </div>
    </FormDialog>
  );
}
