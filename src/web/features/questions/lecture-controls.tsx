import { useState } from 'react';
import type { Class, Lecture } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { useIsLectureOn } from '#web/data/lectures.ts';
import { useCommand } from '#web/data/use-call.ts';
import { formatQuantity, formatTimeOfDay } from '#web/format.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { useDialogs } from '#web/ui/dialogs.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
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
      <p role="status">
        {lecture &&
          (isOn ? `Lecture until ${formatTimeOfDay(lecture.lastsUntil)}` : 'The lecture is over.')}
      </p>
      {isHolder && isOn && lecture && (
        <HallAccess classId={classId} lectureId={lecture.lectureId} room={room} />
      )}
      {isHolder && isOn && (
        <HoldChoice classId={classId} isHeld={lecture?.holdsQuestions === true} />
      )}
      {!isHolder && isOn && lecture?.holdsQuestions && (
        <p>New questions wait until staff release them.</p>
      )}
      {isHolder && !isOn && <StartLecture classId={classId} />}
      <div className={styles.actions}>
        {isHolder && isOn && lecture && <RunningLecture classId={classId} lecture={lecture} />}
        {hasQuestions && (
          <Button onClick={() => setIsPrinting(true)} aria-disabled={isPrinting}>
            Print questions
          </Button>
        )}
      </div>
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

const holdText = 'New questions wait for release';

function StartLecture({ classId }: { classId: string }) {
  const [hours, setHours] = useState(2);
  const [holdsQuestions, setHoldsQuestions] = useState(false);
  const starting = useCommand('startLecture');
  return (
    <form
      className={styles.start}
      onSubmit={(event) => {
        event.preventDefault();
        if (starting.isPending) return;
        starting.mutate({ params: { classId }, body: { hours, holdsQuestions } });
      }}
    >
      <SelectField
        label="Length"
        value={hours}
        onChange={(event) => setHours(Number(event.target.value))}
        problem={starting.isError ? toErrorMessage(starting.error) : undefined}
      >
        {hourChoices.map((choice) => (
          <option key={choice} value={choice}>
            {formatQuantity(choice, 'hour')}
          </option>
        ))}
      </SelectField>
      <label className={styles.choice}>
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

/** Whether new questions wait for release. The box follows the settings of the class. */
function HoldChoice({ classId, isHeld }: { classId: string; isHeld: boolean }) {
  const notify = useNotify();
  const changing = useCommand('holdQuestions', {
    onError: (error) => notify({ text: toErrorMessage(error) }),
  });
  return (
    <label className={styles.choice}>
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
function RunningLecture({ classId, lecture }: { classId: string; lecture: Lecture }) {
  const params = { classId };
  const notify = useNotify();
  const { confirm } = useDialogs();
  const onError = (error: Error) => notify({ text: toErrorMessage(error) });
  const stopping = useCommand('presentPoll', { onError });
  const ending = useCommand('endLecture', { onError });
  const end = async () => {
    const action = { label: 'End lecture', danger: false };
    if (!(await confirm('End the lecture and its presenter links?', action))) return;
    ending.mutate({ params });
  };
  return (
    <>
      {lecture.pollId !== undefined && (
        <Button onClick={() => stopping.mutate({ params, body: { messageId: null } })}>
          Stop showing the poll
        </Button>
      )}
      <Button onClick={() => void end()}>End lecture</Button>
    </>
  );
}
