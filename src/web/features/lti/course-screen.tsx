// The page of a course that was opened on a learning platform. It leads to the class of the course. An instructor links a class or
// creates one, and asks to be its staff. A mail leads here, too: staff of a class confirm such requests.
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import type { ClassFields } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import type { CallReply } from '#contract/http.ts';
import { limits } from '#contract/limits.ts';
import { forgetLeftClass, useClasses } from '#web/data/classes.ts';
import { Proposals } from '#web/data/proposals.tsx';
import { useMe } from '#web/data/session.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { Screen } from '#web/ui/screen.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextField } from '#web/ui/text-field.tsx';

type Course = NonNullable<CallReply<'readCourse'>['course']>;

export function CourseScreen() {
  const query = useCall('readCourse', {}, { retry: false });
  const proposals = useCall('listProposals', {}).data?.proposals;
  const course = query.data?.course;
  if (course?.linkedClass && !needsInstructor(course, proposals?.length)) {
    return <OpenClass classId={course.linkedClass.classId} />;
  }
  const title = course?.courseTitle || course?.courseLabel || getText('lti.course.untitled');
  return (
    <Screen title={title} width="form">
      {!query.data && <QueryState query={query} />}
      {query.data && !course && proposals?.length === 0 && (
        <NoClass text={getText('error.COURSE_NOT_OPENED')} />
      )}
      {course && !course.isInstructor && <NoClass text={getText('lti.course.notLinked')} />}
      {course?.isInstructor && <InstructorPage course={course} />}
      <Proposals />
    </Screen>
  );
}

/** An instructor first does here what waits. */
function needsInstructor(
  { isInstructor, linkedClass, picking, staffState }: Course,
  proposalCount: number | undefined,
) {
  const isDone = staffState === 'staff' && proposalCount === 0 && !picking && !linkedClass?.ended;
  return isInstructor && !isDone;
}

function OpenClass({ classId }: { classId: string }) {
  const navigate = useNavigate();
  useEffect(() => {
    // Whoever comes from the course again gets the offer to join again.
    forgetLeftClass(classId);
    void navigate(`/home/${classId}`, { replace: true });
  }, [classId, navigate]);
  return null;
}

function NoClass({ text }: { text: string }) {
  return (
    <EmptyState text={text}>
      <Link className={toButtonClass('quiet')} to="/search">
        {getText('classList.search')}
      </Link>
    </EmptyState>
  );
}

function InstructorPage({ course }: { course: Course }) {
  const { linkedClass, picking, staffState } = course;
  const leadsToClass = linkedClass !== null && !linkedClass.ended;
  return (
    <>
      {course.isCopy && <Callout kind="info">{getText('lti.course.copy')}</Callout>}
      {linkedClass && (
        <div className="row between">
          <p>
            {getText('lti.course.linked', { className: toClassLabel(linkedClass) })}
            {linkedClass.ended && ` ${getText('error.CLASS_ENDED')}`}
          </p>
          <Link className={toButtonClass('quiet')} to={`/home/${linkedClass.classId}`}>
            {getText('createClass.similar.open')}
          </Link>
        </div>
      )}
      {leadsToClass && picking && <PickedClass {...picking} />}
      {staffState === 'proposed' && <Callout kind="info">{getText('lti.staff.proposed')}</Callout>}
      {staffState === 'rejected' && <Callout kind="error">{getText('lti.staff.rejected')}</Callout>}
      {leadsToClass && (staffState === 'none' || staffState === 'rejected') && (
        <section className="stack">
          <h2>{getText('lti.staff.title')}</h2>
          <p>
            {course.grantsStaff ? getText('lti.staff.lead') : getText('lti.staff.leadToConfirm')}
          </p>
          <LinkForm courseId={course.courseId} linkedId={linkedClass.classId} />
        </section>
      )}
      {!leadsToClass && <ClassChoice course={course} />}
    </>
  );
}

/** The platform waits for the link of the class, in a frame or in this window. */
function PickedClass({ answerUrl }: NonNullable<Course['picking']>) {
  if (answerUrl === null) return <Callout kind="info">{getText('lti.pick.done')}</Callout>;
  return (
    <section className="stack">
      <p>{getText('lti.pick.lead')}</p>
      <div>
        <a className={toButtonClass('primary')} href={answerUrl}>
          {getText('lti.pick.submit')}
        </a>
      </div>
    </section>
  );
}

function ClassChoice({ course }: { course: Course }) {
  const navigate = useNavigate();
  const hasClass = useClasses().data?.some(({ ended }) => !ended);
  return (
    <>
      <p>{getText('lti.link.lead')}</p>
      <section className="stack">
        <h2>{getText('lti.create.title')}</h2>
        <div>
          <Button
            variant="primary"
            onClick={() => {
              const { courseId } = course;
              void navigate('/create', { state: { courseId, course: toClassFields(course) } });
            }}
          >
            {getText('createClass.submit')}
          </Button>
        </div>
      </section>
      <section className="stack">
        <h2>{getText('lti.link.title')}</h2>
        {hasClass ? (
          <LinkForm courseId={course.courseId} linkedId={null} />
        ) : (
          <p>
            {getText('lti.link.none')} <Link to="/search">{getText('classList.search')}</Link>
          </p>
        )}
      </section>
    </>
  );
}

/** The course code is a guess of the instructor's own words, such as 'CS 146-01'. */
function toClassFields({ courseTitle, courseLabel }: Course): Partial<ClassFields> {
  const [, subject = '', number = '', section = ''] =
    /^\s*(\p{L}[\p{L}&]*)[\s._-]*(\d\w*)(?:[\s._/-]+(\w+))?\s*$/u.exec(courseLabel) ?? [];
  return {
    courseName: courseTitle || courseLabel,
    subjectAbbreviation: subject.slice(0, limits.classCode),
    courseNumber: number.slice(0, limits.classCode),
    sectionNumber: section.slice(0, limits.classCode),
  };
}

/** Links a class, or asks to be its staff. @param linkedId the class of the course; null to choose one that the instructor has joined */
function LinkForm({ courseId, linkedId }: { courseId: string; linkedId: string | null }) {
  const roles = useMe().data?.account?.roles ?? [];
  const classes = useClasses().data ?? [];
  const emptyFields = { classId: linkedId ?? '', staffName: '' };
  const linking = useCommand('linkCourse', {
    refreshes: ['readCourse', 'listProposals'],
  });
  const isStaff = (id: string) =>
    roles.some(({ role, classId }) => role === 'operator' || (role === 'staff' && classId === id));
  const form = useForm({
    fields: emptyFields,
    command: linking,
    findProblems: ({ classId, staffName }) => ({
      classId: classId ? null : getText('moderation.roles.classMissing'),
      staffName:
        isStaff(classId) || staffName.trim() ? null : getText('moderation.roles.name.missing'),
    }),
    onSubmit(body) {
      const onSuccess = () => form.change(emptyFields);
      linking.mutate({ params: { courseId }, body }, { onSuccess });
    },
  });
  const isProposing = form.fields.classId !== '' && !isStaff(form.fields.classId);
  const submitText = isProposing ? getText('lti.staff.submit') : getText('lti.link.submit');
  return (
    <Form form={form} className="stack">
      {linkedId === null && (
        <SelectField label={getText('data.classChoice.label')} {...form.bind('classId')}>
          <option value="">{getText('data.classChoice.none')}</option>
          {classes
            .filter(({ ended }) => !ended)
            .map((joined) => (
              <option key={joined.classId} value={joined.classId}>
                {toClassLabel(joined)}
              </option>
            ))}
        </SelectField>
      )}
      {isProposing && linkedId === null && <p>{getText('lti.staff.leadToConfirm')}</p>}
      {isProposing && (
        <TextField
          label={getText('moderation.roles.name.label')}
          hint={getText('moderation.roles.name.staffHint')}
          autoComplete="name"
          dir="auto"
          {...form.bind('staffName')}
        />
      )}
      <Callout kind="error">{form.error}</Callout>
      <div>
        <Button
          type="submit"
          variant={linkedId === null ? 'quiet' : 'primary'}
          aria-disabled={form.isPending}
        >
          {form.isPending ? getText('common.saving') : submitText}
        </Button>
      </div>
    </Form>
  );
}
