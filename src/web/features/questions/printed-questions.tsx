import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { createPortal } from 'react-dom';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class, Lecture } from '#contract/entities.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { formatDayOrSeason } from '#web/data/class-details.ts';
import { formatDate } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { loadFormulas } from '#web/ui/formula.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { FoldedAnswer, QuestionCard } from '#web/ui/question-card.tsx';
import styles from './printed-questions.module.css';

interface Props {
  classInfo: Class;
  lecture: Lecture;
  /** Of the class. */
  staffNames: readonly string[];
  /** The dialog of the browser has closed, or the questions could not be read. */
  onEnd: () => void;
}

/** Prints the questions of the last lecture with their answers, without names. On the screen they are not visible. */
export function PrintedQuestions({ classInfo, lecture, staffNames, onEnd }: Props) {
  const { classId } = classInfo;
  const notify = useNotify();
  const { data, error } = useQuery({
    queryKey: ['class', classId, 'lecture-questions'],
    queryFn: () => call('listLectureQuestions', { params: { classId } }),
    gcTime: 0,
    retry: false,
  });
  const end = useEffectEvent(onEnd);
  const fail = useEffectEvent((failure: Error) => {
    notify({ text: toErrorMessage(failure) });
    onEnd();
  });
  useEffect(() => {
    if (error) fail(error);
  }, [error]);
  useEffect(() => {
    if (!data) return;
    // Some browsers return from `print` before the dialog has closed.
    const handleEnd = () => end();
    window.addEventListener('afterprint', handleEnd);
    let isCurrent = true;
    void Promise.all([markupParser.load(), loadFormulas()]).then(() => {
      if (isCurrent) window.print();
    });
    return () => {
      isCurrent = false;
      window.removeEventListener('afterprint', handleEnd);
    };
  }, [data]);
  if (!data) return null;
  return createPortal(
    <article className={styles.sheet}>
      <h1>{nameInFull(classInfo)}</h1>
      <p>
        {[getText('questions.title'), formatDate(lecture.lastsUntil), ...staffNames].join(' · ')}
      </p>
      <ol className={styles.questions}>
        {data.lectureQuestions.map(({ text, topic, votes, done, answerTexts }, index) => (
          <li key={index}>
            <QuestionCard
              vote={{ votes, voted: false, onToggle: null }}
              state={done ? 'done' : null}
              footer={answerTexts.map((answer) => (
                <FoldedAnswer key={answer}>
                  <span className={styles.text} dir="auto">
                    <MessageText text={answer} tabIndex={-1} />
                  </span>
                </FoldedAnswer>
              ))}
            >
              {topic !== undefined && <bdi className="meta">{topic}</bdi>}
              <div className={styles.text} dir="auto">
                <MessageText text={text} tabIndex={-1} />
              </div>
            </QuestionCard>
          </li>
        ))}
      </ol>
    </article>,
    document.body,
  );
}

/** Such as 'CS 146-01 · Data Structures and Algorithms · Fall'. */
function nameInFull(classInfo: Class): string {
  const { courseName, sectionNumber, semesterSeason } = classInfo;
  const label = [toClassLabel(classInfo), sectionNumber].filter(Boolean).join('-');
  return [label, courseName, formatDayOrSeason(semesterSeason)].filter(Boolean).join(' · ');
}
