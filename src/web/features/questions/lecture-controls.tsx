import { useState } from 'react';
import { findClassEnd } from '#contract/class-hours.ts';
import type { Class, Lecture } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { formatTime } from '#web/data/class-details.ts';
import { useIsLectureOn } from '#web/data/lectures.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { formatQuantity, formatTimeOfDay } from '#web/format.ts';
import { site } from '#web/site.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';
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
              ? `Lecture until ${formatTimeOfDay(lecture.lastsUntil)}`
              : 'The lecture is over.')}
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
      {!isHolder && isOn && lecture?.holdsQuestions && (
        <p>New questions wait until staff release them.</p>
      )}
      {isHolder && !isOn && <StartLecture classInfo={classInfo} room={room} />}
      {isHolder && <StartChoice classInfo={classInfo} />}
      {hasQuestions && (
        <TextButton onClick={() => setIsPrinting(true)} aria-disabled={isPrinting}>
          Print questions
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

const holdText = 'Review questions before the class sees them';

function StartLecture({ classInfo, room }: Pick<Props, 'classInfo' | 'room'>) {
  const { classId } = classInfo;
  const [classEnd] = useState(() => findClassEnd(classInfo, site.timeZone, room.serverNow()));
  /** Null: until the class ends. */
  const [hours, setHours] = useState(classEnd === null ? 2 : null);
  const [holdsQuestions, setHoldsQuestions] = useState(false);
  const starting = useCommand('startLecture');
  return (
    <form
      className="stack-s start"
      onSubmit={(event) => {
        event.preventDefault();
        if (starting.isPending) return;
        const length = hours === null ? { until: classEnd ?? undefined } : { hours };
        starting.mutate({ params: { classId }, body: { ...length, holdsQuestions } });
      }}
    >
      <SelectField
        label="Length"
        value={hours ?? ''}
        onChange={({ target }) => setHours(Number(target.value) || null)}
        problem={starting.isError ? toErrorMessage(starting.error) : undefined}
      >
        {classEnd !== null && (
          <option value="">Until the class ends, {formatTimeOfDay(classEnd)}</option>
        )}
        {hourChoices.map((choice) => (
          <option key={choice} value={choice}>
            {formatQuantity(choice, 'hour')}
          </option>
        ))}
      </SelectField>
      <label className="check-row">
        <input
          type="checkbox"
          checked={holdsQuestions}
          onChange={(event) => setHoldsQuestions(event.target.checked)}
        />
        {holdText}
      </label>
      <Button type="submit" variant="primary">
        Start lecture
      </Button>
    </form>
  );
}

/** Whether lectures start at the hours of the class, by the clock of the school: staff can be elsewhere. */
function StartChoice({ classInfo }: Pick<Props, 'classInfo'>) {
  const { classId, classSchedule, beginClassTime } = classInfo;
  const params = { classId };
  const notify = useNotify();
  const hasHours = Boolean(classSchedule?.length && beginClassTime);
  const { data } = useCall('readPreparation', { params }, { enabled: hasHours });
  const planning = useCommand('planLectures', {
    refreshes: ['readPreparation'],
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
  if (!hasHours || !data) return null;
  const isPlanned = planning.isPending
    ? planning.variables.body.timeZone !== null
    : data.startsAtClassTime;
  return (
    <label className="check-row">
      <input
        type="checkbox"
        checked={isPlanned}
        aria-disabled={planning.isPending}
        onChange={({ target }) => {
          if (planning.isPending) return;
          planning.mutate({ params, body: { timeZone: target.checked ? site.timeZone : null } });
        }}
      />
      Start at the class&apos;s time, {formatTime(beginClassTime ?? null)}
    </label>
  );
}

/** Whether new questions wait for release. The box follows the settings of the class. */
function HoldChoice({ classId, isHeld }: { classId: string; isHeld: boolean }) {
  const notify = useNotify();
  const changing = useCommand('holdQuestions', {
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
  return (
    <label className="check-row">
      <input
        type="checkbox"
        checked={changing.isPending ? changing.variables.body.held : isHeld}
        aria-disabled={changing.isPending}
        onChange={(event) => {
          if (changing.isPending) return;
          changing.mutate({ params: { classId }, body: { held: event.target.checked } });
        }}
      />
      {holdText}
    </label>
  );
}

/** What staff can do while the lecture is on. A notice says what failed. */
function StopShowing({ classId }: { classId: string }) {
  const notify = useNotify();
  const stopping = useCommand('presentPoll', {
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
  return (
    <TextButton onClick={() => stopping.mutate({ params: { classId }, body: { messageId: null } })}>
      Stop showing the poll
    </TextButton>
  );
}

function EndLecture({ classId }: { classId: string }) {
  const notify = useNotify();
  const { confirm } = useDialogs();
  const ending = useCommand('endLecture', {
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
  const end = async () => {
    const action = { label: 'End lecture', danger: false };
    if (!(await confirm('End the lecture and its presenter links?', action))) return;
    ending.mutate({ params: { classId } });
  };
  return (
    <span className="end">
      <TextButton onClick={() => void end()}>End…</TextButton>
    </span>
  );
}
