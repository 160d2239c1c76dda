import { useState } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { findClassFieldsError, semesterSeasons, weekdays } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { browserErrors } from '#contract/browser-errors.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { type EditedClass, useClassAct } from './class-admin.ts';
import styles from './classes-page.module.css';

type Typed = Omit<EditedClass, 'year'> & { year: string };
type TextName = 'courseName' | 'subjectAbbreviation' | 'courseNumber' | 'sectionNumber';

/** Fields of older classes can be missing. */
function toTypedFields(of: ListedClass): Typed {
  return {
    courseName: of.courseName ?? '',
    subjectAbbreviation: of.subjectAbbreviation ?? '',
    courseNumber: of.courseNumber ?? '',
    sectionNumber: of.sectionNumber ?? '',
    semesterSeason: semesterSeasons.find((one) => one === of.semesterSeason) ?? '',
    classSchedule: weekdays.filter((day) => of.classSchedule?.includes(day)),
    beginClassTime: of.beginClassTime ?? '',
    endClassTime: of.endClassTime ?? '',
    year: String(of.year ?? ''),
  };
}

export function EditClassDialog({ of, onClose }: { of: ListedClass; onClose: () => void }) {
  const label = toClassLabel(of);
  const notify = useNotify();
  const act = useClassAct();
  const [typed, setTyped] = useState(() => toTypedFields(of));
  const [problem, setProblem] = useState<string | null>(null);
  const change = (part: Partial<Typed>) => {
    setTyped({ ...typed, ...part });
    setProblem(null);
  };
  const text = (name: TextName | 'beginClassTime' | 'endClassTime') => ({
    value: typed[name],
    onChange: ({ target }: { target: { value: string } }) => change({ [name]: target.value }),
  });
  const submit = () => {
    const refusal = findClassFieldsError({ ...typed, classSchedule: [...typed.classSchedule] });
    if (refusal) return setProblem(browserErrors[refusal].message);
    if (!/^\d{4}$/.test(typed.year.trim())) return setProblem('Please enter the year of the term.');
    act.mutate(
      { kind: 'edit', classId: of.classId, body: { ...typed, year: Number(typed.year) } },
      {
        onSuccess() {
          notify({ text: `${label} is saved.` });
          onClose();
        },
        onError: (error) => setProblem(toErrorMessage(error)),
      },
    );
  };
  return (
    <FormDialog
      title={`Edit ${label}`}
      text="Members see the changed fields at once. Members and messages stay."
      submitLabel={act.isPending ? 'Saving…' : 'Save'}
      isPending={act.isPending}
      error={problem}
      onSubmit={submit}
      onCancel={onClose}
    >
      <TextField
        label="Course name"
        dir="auto"
        maxLength={limits.classField}
        {...text('courseName')}
      />
      <div className={styles.row}>
        <TextField
          label="Subject abbreviation"
          maxLength={limits.classCode}
          {...text('subjectAbbreviation')}
        />
        <TextField label="Course number" maxLength={limits.classCode} {...text('courseNumber')} />
        <TextField label="Section number" maxLength={limits.classCode} {...text('sectionNumber')} />
      </div>
      <div className={styles.row}>
        <SelectField
          label="Semester season"
          value={typed.semesterSeason}
          onChange={({ target }) =>
            change({ semesterSeason: target.value as Typed['semesterSeason'] })
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
          value={typed.year}
          onChange={({ target }) => change({ year: target.value })}
        />
      </div>
      <fieldset className={styles.days}>
        <legend>Days of the week</legend>
        {weekdays.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              checked={typed.classSchedule.includes(day)}
              onChange={({ target }) =>
                change({
                  classSchedule: weekdays.filter((one) =>
                    one === day ? target.checked : typed.classSchedule.includes(one),
                  ),
                })
              }
            />
            {day}
          </label>
        ))}
      </fieldset>
      <div className={styles.row}>
        <TextField label="Begin class time" type="time" {...text('beginClassTime')} />
        <TextField label="End class time" type="time" {...text('endClassTime')} />
      </div>
    </FormDialog>
  );
}
