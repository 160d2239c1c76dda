import type { Lecture } from '#contract/entities.ts';
import { isAskedIn } from '#contract/lecture-times.ts';
import { useIsLectureOn } from '#web/data/lectures.ts';
import { isAnswered, useQuestions } from '#web/data/questions.ts';
import { useHoldsLectures } from '#web/data/session.ts';
import { useReleasable } from '#web/data/waiting-questions.ts';
import { formatTimeOfDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import styles from './lecture-strip.module.css';

interface Props {
  classId: string;
  room: Room;
  lecture: Lecture;
  /** Opens the questions of the lecture. */
  onOpen: () => void;
}

/** The line above the messages while a lecture is on. */
export function LectureStrip({ classId, room, lecture, onOpen }: Props) {
  const isOn = useIsLectureOn(room, lecture);
  const { questions } = useQuestions(classId, room);
  const isHolder = useHoldsLectures(classId);
  const waitingCount = useReleasable(classId, isOn && isHolder).questions.length;
  if (!isOn) return null;
  const openCount = questions.filter(
    (item) => isAskedIn(lecture, item) && !isAnswered(item.question),
  ).length;
  return (
    <button type="button" className={styles.strip} onClick={onOpen}>
      <Icon name="question" size={16} />
      <span className={styles.words}>
        <span className="strong">
          {getText('lectures.strip.until', { time: formatTimeOfDay(lecture.lastsUntil) })}
        </span>
        <span className={styles.count}>
          {waitingCount > 0
            ? getText('lectures.strip.waiting', { count: waitingCount })
            : getText('lectures.strip.open', { count: openCount })}
        </span>
      </span>
      <Icon name="right" size={16} />
    </button>
  );
}
