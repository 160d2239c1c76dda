import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { createPortal } from 'react-dom';
import { call, toErrorMessage } from '#web/api.ts';
import { markupParser } from '#web/markup/message-markup.ts';
import { loadFormulas } from '#web/ui/formula.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import styles from './printed-questions.module.css';

interface Props {
  classId: string;
  label: string;
  /** The dialog of the browser has closed, or the questions could not be read. */
  onEnd: () => void;
}

/** Prints the questions of the last lecture with their answers, without names. On the screen they are not visible. */
export function PrintedQuestions({ classId, label, onEnd }: Props) {
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
      <h1>Questions in {label}</h1>
      <ol className={styles.questions}>
        {data.lectureQuestions.map(({ text, votes, done, answerTexts }, index) => (
          <li key={index}>
            <div className={styles.question} dir="auto">
              <MessageText text={text} tabIndex={-1} />
            </div>
            {votes > 0 && (
              <p className={styles.note}>
                {votes === 1 ? '1 person has' : `${votes} people have`} this question too
              </p>
            )}
            {answerTexts.map((answer) => (
              <div key={answer} className={styles.answer} dir="auto">
                <MessageText text={answer} tabIndex={-1} />
              </div>
            ))}
            {done && <p className={styles.note}>Answered in the lecture</p>}
          </li>
        ))}
      </ol>
    </article>,
    document.body,
  );
}
