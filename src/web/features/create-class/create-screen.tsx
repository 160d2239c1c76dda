// Creates a class (/create). While a student types, `similar-classes.tsx` shows existing classes with the same
// code, because two rooms for one course split its students. With CLASS_CREATION=operators, others get a way to
// ask for a class.
import { type SubmitEvent, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import { site } from '#web/site.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Screen } from '#web/ui/screen.tsx';
import {
  type ClassFields,
  findClassFieldsError,
  findListedFieldsError,
  type SemesterSeason,
  semesterSeasons,
} from '#contract/class-fields.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { formatDayOrSeason } from '#web/data/class-details.ts';
import { findFieldProblems } from '#web/data/class-field-problems.ts';
import { toClassErrorText, useCreateClass } from '#web/data/classes.ts';
import { useIsOperator } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { contactUrl } from '#web/ui/site-footer.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useWrongFieldFocus } from '#web/ui/use-wrong-field-focus.ts';
import { DaysField } from './days-field.tsx';
import { SimilarClasses } from './similar-classes.tsx';
import styles from './create-screen.module.css';

export function CreateScreen() {
  const isOperator = useIsOperator();
  const mayCreate = site.classCreation !== 'operators' || isOperator;
  return (
    <Screen title={getText('createClass.title', { appName: site.appName })} width="form">
      {mayCreate ? <CreateForm /> : <OperatorsOnly />}
    </Screen>
  );
}

function OperatorsOnly() {
  return (
    <EmptyState text={getText('createClass.operatorsOnly.text')}>
      <Link to="/search">{getText('createClass.operatorsOnly.search')}</Link>
      {site.supportContact && (
        <a href={contactUrl} target="_blank" rel="noreferrer">
          {getText('createClass.operatorsOnly.ask')}
        </a>
      )}
    </EmptyState>
  );
}

const blankFields: ClassFields = {
  courseName: '',
  subjectAbbreviation: '',
  courseNumber: '',
  sectionNumber: '',
  semesterSeason: '',
  classSchedule: [],
  beginClassTime: '',
  endClassTime: '',
};

/** The page of a course gives the first values of the fields, and the course then leads to the class. */
interface CreateState {
  courseId?: string;
  course?: Partial<ClassFields>;
}

const fieldErrorTexts = {
  CLASS_INCOMPLETE: getText('error.CLASS_INCOMPLETE'),
  CLASS_TIMES: getText('error.CLASS_TIMES'),
};

type TextName = Exclude<keyof ClassFields, 'classSchedule' | 'semesterSeason'>;

/** The server's message if it rejected the input. */
function findInputProblem(error: unknown): string | null {
  if (!(error instanceof RejectedError)) return null;
  const isAboutInput = !['UNAUTHENTICATED', 'UNAVAILABLE', 'INTERNAL'].includes(error.code);
  return isAboutInput ? toErrorMessage(error) : null;
}

function CreateForm() {
  const navigate = useNavigate();
  const { alert } = useDialogs();
  const { courseId, course } = (useLocation().state as CreateState | null) ?? {};
  const creation = useCreateClass(courseId);
  const [fields, setFields] = useState({ ...blankFields, ...course });
  const [noFixedHours, setNoFixedHours] = useState(false);
  /** The last attempt was rejected: wrong fields are marked until they are corrected. */
  const [isRejected, setIsRejected] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const focusWrongField = useWrongFieldFocus(form, false);
  const changeFields = (change: Partial<ClassFields>) =>
    setFields((old) => ({ ...old, ...change }));
  const problems: ReturnType<typeof findFieldProblems> = isRejected
    ? findFieldProblems(fields, noFixedHours)
    : {};
  const bindText = (name: TextName) => ({
    name,
    value: fields[name],
    problem: problems[name],
    onChange: (event: { target: { value: string } }) =>
      changeFields({ [name]: event.target.value }),
  });

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (creation.isPending) return;
    creation.reset();
    const fieldsError = noFixedHours ? findListedFieldsError(fields) : findClassFieldsError(fields);
    setIsRejected(fieldsError !== null);
    if (fieldsError) {
      await alert(fieldErrorTexts[fieldsError]);
      focusWrongField();
      return;
    }
    creation.mutate(
      { ...fields, noFixedHours },
      {
        onSuccess: (reply) => {
          setFields(blankFields);
          setNoFixedHours(false);
          if (course) void navigate('/course', { replace: true });
          else void navigate('/', { state: { classId: reply.class.classId } });
        },
        onError: (error) => {
          console.error('Could not create class.', error);
          void alert(toClassErrorText(error, getText('createClass.failed')));
        },
      },
    );
  };

  return (
    <form ref={form} className={styles.form} onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        label={getText('createClass.courseName.label')}
        dir="auto"
        maxLength={limits.classField}
        {...bindText('courseName')}
      />
      <div className={styles.three}>
        <TextField
          label={getText('createClass.subject.label')}
          maxLength={limits.classCode}
          {...bindText('subjectAbbreviation')}
        />
        <TextField
          label={getText('createClass.courseNumber.label')}
          maxLength={limits.classCode}
          {...bindText('courseNumber')}
        />
        <TextField
          label={getText('createClass.section.label')}
          maxLength={limits.classCode}
          {...bindText('sectionNumber')}
        />
      </div>
      <div className={styles.two}>
        <SelectField
          label={getText('createClass.season.label')}
          name="semesterSeason"
          value={fields.semesterSeason}
          problem={problems.semesterSeason}
          onChange={(event) =>
            changeFields({ semesterSeason: event.target.value as SemesterSeason | '' })
          }
        >
          <option value="">{getText('createClass.season.none')}</option>
          {semesterSeasons.map((season) => (
            <option key={season} value={season}>
              {formatDayOrSeason(season)}
            </option>
          ))}
        </SelectField>
        {!noFixedHours && (
          <>
            <DaysField
              value={fields.classSchedule}
              problem={problems.classSchedule}
              onChange={(classSchedule) => changeFields({ classSchedule })}
            />
            <TextField
              label={getText('createClass.begin')}
              type="time"
              {...bindText('beginClassTime')}
            />
            <TextField
              label={getText('createClass.end')}
              type="time"
              {...bindText('endClassTime')}
            />
          </>
        )}
      </div>
      <CheckBox
        checked={noFixedHours}
        onChange={(isChecked) => {
          setNoFixedHours(isChecked);
          changeFields({ classSchedule: [], beginClassTime: '', endClassTime: '' });
        }}
      >
        {getText('createClass.noFixedHours')}
      </CheckBox>
      <SimilarClasses fields={fields} />
      <Callout kind="error">{findInputProblem(creation.error)}</Callout>
      <div className={styles.submit}>
        <Button variant="primary" type="submit" aria-disabled={creation.isPending}>
          {creation.isPending ? getText('createClass.creating') : getText('createClass.submit')}
        </Button>
      </div>
    </form>
  );
}
