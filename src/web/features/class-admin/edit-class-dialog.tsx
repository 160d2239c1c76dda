import { useId, useState } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons, weekdays } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import type { CallInput } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { findFieldProblems } from '#web/data/class-field-problems.ts';
import { useCommand } from '#web/data/use-call.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './classes-page.module.css';

type TypedFields = Omit<CallInput<'editClass'>['body'], 'year'> & { year: string };
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

/** Says for each wrong field what is wrong with it. */
function findProblems(fields: TypedFields): Partial<Record<keyof TypedFields, string>> {
  const problems = findFieldProblems({ ...fields, classSchedule: [...fields.classSchedule] }, true);
  const isYear = /^\d{4}$/.test(fields.year.trim());
  return isYear ? problems : { ...problems, year: 'Please enter the year of the term.' };
}

interface Props {
  listedClass: ListedClass;
  onClose: () => void;
}

function useClassEdit({ listedClass, onClose }: Props) {
  const label = toClassLabel(listedClass);
  const notify = useNotify();
  const action = useCommand('editClass', { refreshes: ['listAllClasses'] });
  const [fields, setFields] = useState(() => toTypedFields(listedClass));
  const [error, setError] = useState<string | null>(null);
  /** The last attempt was rejected: wrong fields are marked until they are corrected. */
  const [isRejected, setIsRejected] = useState(false);
  const problems: ReturnType<typeof findProblems> = isRejected ? findProblems(fields) : {};
  const change = (part: Partial<TypedFields>) => {
    setFields({ ...fields, ...part });
    setError(null);
  };
  const bindText = (name: TextName | 'beginClassTime' | 'endClassTime') => ({
    value: fields[name],
    problem: problems[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  const submit = () => {
    const hasProblems = Object.keys(findProblems(fields)).length > 0;
    setIsRejected(hasProblems);
    if (hasProblems) return;
    action.mutate(
      {
        params: { classId: listedClass.classId },
        body: { ...fields, year: Number(fields.year) },
      },
      {
        onSuccess() {
          notify({ text: `${label} is saved.` });
          onClose();
        },
        onError: (failure) => setError(toErrorMessage(failure)),
      },
    );
  };
  return { label, fields, problems, change, bindText, submit, isPending: action.isPending, error };
}

export function EditClassDialog(props: Props) {
  const edit = useClassEdit(props);
  const { label, fields, problems, change, bindText, submit, isPending, error } = edit;
  const daysId = useId();
  return (
    <FormDialog
      title={`Edit ${label}`}
      text="Members see the changed fields at once. Members and messages stay."
      submitLabel={isPending ? 'Saving…' : 'Save'}
      isPending={isPending}
      error={error}
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
          problem={problems.semesterSeason}
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
          problem={problems.year}
          onChange={({ target }) => change({ year: target.value })}
        />
      </div>
      <fieldset className={styles.days}>
        <legend>Days of the week</legend>
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
        <TextField label="Begin class time" type="time" {...bindText('beginClassTime')} />
        <TextField label="End class time" type="time" {...bindText('endClassTime')} />
      </div>
    </FormDialog>
  );
}
