import { useState } from 'react';
import { findClassEnd } from '#contract/class-hours.ts';
import type { Class, Lecture } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { formatTime } from '#web/data/class-details.ts';
import { useIsLectureOn } from '#web/data/lectures.ts';
import { useCall, useCommand, useNoticedCommand } from '#web/data/use-call.ts';
import { formatTimeOfDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { Form, useForm } from '#web/ui/form.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import { HallAccess } from './hall-access.tsx';
import { PrintedQuestions } from './printed-questions.tsx';
import styles from './lecture-controls.module.css';

interface Props {
  classInfo: Class;
  room: Room;
  lecture: Lecture | undefined;
  /** The viewer may start and end lectures. */
  isHolder: boolean;
  hasQuestions: boolean;
}

/** What stands above the questions of a lecture: until when it lasts, and what staff can do with it. */
export function LectureControls({ classInfo, room, lecture, isHolder, hasQuestions }: Props) {
  const { classId } = classInfo;
  const isOn = useIsLectureOn(room, lecture);
  const [isPrinting, setIsPrinting] = useState(false);
  const focusProps = useLostFocus();
  return (
    <div className={styles.controls} {...focusProps}>
      <div className="row">
        <p role="status" className={isOn ? styles.on : 'muted'}>
          {lecture &&
            (isOn
              ? getText('questions.lecture.until', { time: formatTimeOfDay(lecture.lastsUntil) })
              : getText('questions.lecture.over'))}
        </p>
        {isHolder && isOn && <EndLecture classId={classId} />}
      </div>
      {isHolder && isOn && lecture && (
        <HallAccess classId={classId} lectureId={lecture.lectureId} room={room} />
      )}
      {isHolder && isOn && lecture?.pollId !== undefined && <StopShowing classId={classId} />}
      {isHolder && isOn && (
        <HoldChoice classId={classId} isHeld={lecture?.holdsQuestions === true} />
      )}
      {!isHolder && isOn && lecture?.holdsQuestions && <p>{getText('questions.lecture.held')}</p>}
      {isHolder && !isOn && <StartLecture classInfo={classInfo} room={room} />}
      {isHolder && !isOn && <StartChoice classInfo={classInfo} />}
      {hasQuestions && (
        <TextButton onClick={() => setIsPrinting(true)} aria-disabled={isPrinting}>
          {getText('questions.lecture.print')}
        </TextButton>
      )}
      {isPrinting && lecture && (
        <PrintedQuestions
          classInfo={classInfo}
          lecture={lecture}
          staffNames={listStaffNames(room.getSnapshot())}
          onEnd={() => setIsPrinting(false)}
        />
      )}
    </div>
  );
}

function listStaffNames({ staff, personas }: RoomView): string[] {
  const shown = [...personas.values()].filter((persona) => persona.staff);
  const names = [staff?.persona, ...shown].flatMap((persona) => persona?.anonymousName ?? []);
  return [...new Set(names)];
}

const hourChoices = Array.from({ length: limits.lectureHours }, (_, index) => index + 1);

function StartLecture({ classInfo, room }: Pick<Props, 'classInfo' | 'room'>) {
  const { classId } = classInfo;
  const [classEnd] = useState(() => findClassEnd(classInfo, site.timeZone, room.serverNow()));
  const starting = useCommand('startLecture');
  const form = useForm({
    // An empty length: until the class ends.
    fields: { hours: classEnd === null ? '2' : '', holdsQuestions: false },
    command: starting,
    findWrongField: () => 'hours',
    onSubmit({ hours, holdsQuestions }) {
      const length = hours === '' ? { until: classEnd ?? undefined } : { hours: Number(hours) };
      starting.mutate({ params: { classId }, body: { ...length, holdsQuestions } });
    },
  });
  return (
    <Form form={form} className="stack-s start">
      <SelectField label={getText('questions.lecture.length')} {...form.bind('hours')}>
        {classEnd !== null && (
          <option value="">
            {getText('questions.lecture.untilClassEnds', { time: formatTimeOfDay(classEnd) })}
          </option>
        )}
        {hourChoices.map((choice) => (
          <option key={choice} value={choice}>
            {getText('questions.lecture.hours', { count: choice })}
          </option>
        ))}
      </SelectField>
      <CheckBox
        checked={form.fields.holdsQuestions}
        onChange={(isChecked) => form.change({ holdsQuestions: isChecked })}
      >
        {getText('questions.lecture.review')}
      </CheckBox>
      <Button type="submit" variant="primary">
        {getText('questions.lecture.start')}
      </Button>
    </Form>
  );
}

/** Whether lectures start at the hours of the class, by the clock of the school: staff can be elsewhere. */
function StartChoice({ classInfo }: Pick<Props, 'classInfo'>) {
  const { classId, classSchedule, beginClassTime } = classInfo;
  const params = { classId };
  const hasHours = Boolean(classSchedule?.length && beginClassTime);
  const { data } = useCall('readPreparation', { params }, { enabled: hasHours });
  const planning = useNoticedCommand('planLectures', { refreshes: ['readPreparation'] });
  if (!hasHours || !data) return null;
  const isPlanned = planning.isPending
    ? planning.variables.body.timeZone !== null
    : data.startsAtClassTime;
  return (
    <CheckBox
      checked={isPlanned}
      aria-disabled={planning.isPending}
      onChange={(isChecked) => {
        planning.mutate({ params, body: { timeZone: isChecked ? site.timeZone : null } });
      }}
    >
      {getText('questions.lecture.startAtClassTime', {
        time: formatTime(beginClassTime ?? null) ?? '',
      })}
    </CheckBox>
  );
}

/** Whether new questions wait for release. The box follows the settings of the class. */
function HoldChoice({ classId, isHeld }: { classId: string; isHeld: boolean }) {
  const changing = useNoticedCommand('holdQuestions');
  return (
    <CheckBox
      checked={changing.isPending ? changing.variables.body.held : isHeld}
      aria-disabled={changing.isPending}
      onChange={(isChecked) => {
        changing.mutate({ params: { classId }, body: { held: isChecked } });
      }}
    >
      {getText('questions.lecture.review')}
    </CheckBox>
  );
}

function StopShowing({ classId }: { classId: string }) {
  const stopping = useNoticedCommand('presentPoll');
  return (
    <TextButton onClick={() => stopping.mutate({ params: { classId }, body: { messageId: null } })}>
      {getText('questions.lecture.stopPoll')}
    </TextButton>
  );
}

function EndLecture({ classId }: { classId: string }) {
  const { confirm } = useDialogs();
  const ending = useNoticedCommand('endLecture');
  const end = async () => {
    const action = { label: getText('questions.lecture.end'), danger: false };
    if (!(await confirm(getText('questions.lecture.end.confirm'), action))) return;
    ending.mutate({ params: { classId } });
  };
  return (
    <span className="end">
      <TextButton onClick={() => void end()}>{getText('questions.lecture.end.open')}</TextButton>
    </span>
  );
}
