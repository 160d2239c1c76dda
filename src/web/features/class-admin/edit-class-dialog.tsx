import { useState } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { findListedFieldsError, semesterSeasons, weekdays } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { browserErrors } from '#contract/browser-errors.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { type EditedClass, useClassAction } from './class-admin.ts';
import styles from './classes-page.module.css';

type TypedFields = Omit<EditedClass, 'year'> & { year: string };
type TextName = 'courseName' | 'subjectAbbreviation' | 'courseNumber' | 'sectionNumber';

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

interface Props {
  listedClass: ListedClass;
  onClose: () => void;
}

function useClassEdit({ listedClass, onClose }: Props) {
  const label = toClassLabel(listedClass);
  const notify = useNotify();
  const action = useClassAction();
  const [fields, setFields] = useState(() => toTypedFields(listedClass));
  const [problem, setProblem] = useState<string | null>(null);
  const change = (part: Partial<TypedFields>) => {
    setFields({ ...fields, ...part });
    setProblem(null);
  };
  const bindText = (name: TextName | 'beginClassTime' | 'endClassTime') => ({
    value: fields[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  const submit = () => {
    const fieldsError = findListedFieldsError({
      ...fields,
      classSchedule: [...fields.classSchedule],
    });
    if (fieldsError) return setProblem(browserErrors[fieldsError].message);
    if (!/^\d{4}$/.test(fields.year.trim())) {
      return setProblem('Please enter the year of the term.');
    }
    action.mutate(
      {
        kind: 'edit',
        classId: listedClass.classId,
        body: { ...fields, year: Number(fields.year) },
      },
      {
        onSuccess() {
          notify({ text: `${label} is saved.` });
          onClose();
        },
        onError: (error) => setProblem(toErrorMessage(error)),
      },
    );
  };
  return { label, fields, change, bindText, submit, isPending: action.isPending, problem };
}

export function EditClassDialog(props: Props) {
  const { label, fields, change, bindText, submit, isPending, problem } = useClassEdit(props);
  return (
    <FormDialog
      title={`Edit ${label}`}
      text="Members see the changed fields at once. Members and messages stay."
      submitLabel={isPending ? 'Saving…' : 'Save'}
      isPending={isPending}
      error={problem}
      onSubmit={submit}
      onCancel={props.onClose}
    >
      <TextField
        label="Course name"
        dir="auto"
        maxLength={limits.classField}
        {...bindText('courseName')}
      />
      <div className={styles.row}>
        <TextField
          label="Subject abbreviation"
          maxLength={limits.classCode}
          {...bindText('subjectAbbreviation')}
        />
        <TextField
          label="Course number"
          maxLength={limits.classCode}
          {...bindText('courseNumber')}
        />
        <TextField
          label="Section number"
          maxLength={limits.classCode}
          {...bindText('sectionNumber')}
        />
      </div>
      <div className={styles.row}>
        <SelectField
          label="Semester season"
          value={fields.semesterSeason}
          onChange={({ target }) =>
            change({ semesterSeason: target.value as TypedFields['semesterSeason'] })
          }
        >
          <option value="">Select a season</option>
          {semesterSeasons.map((season) => (
            <option key={season}>{season}</option>
          ))}
        </SelectField>
        <TextField
          label="Year"
          inputMode="numeric"
          maxLength={4}
          value={fields.year}
          onChange={({ target }) => change({ year: target.value })}
        />
      </div>
      <fieldset className={styles.days}>
        <legend>Days of the week</legend>
        {weekdays.map((day) => (
          <label key={day}>
            <input
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
      </fieldset>
      <div className={styles.row}>
        <TextField label="Begin class time" type="time" {...bindText('beginClassTime')} />
        <TextField label="End class time" type="time" {...bindText('endClassTime')} />
      </div>
    </FormDialog>
  );
}
