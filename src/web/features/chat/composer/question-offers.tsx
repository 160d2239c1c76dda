import { type RefObject, useDeferredValue, useMemo, useState } from 'react';
import { saveQuestionDraft } from '#web/data/drafts.ts';
import { isAnswered, type ShownQuestion, useQuestions } from '#web/data/questions.ts';
import { getText } from '#web/get-text.ts';
import { toAnswerText } from '#web/markup/answer-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { useEscape } from '#web/ui/use-escape.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useOpenMessage } from '../messages/use-open-message.ts';
import { findEarlierQuestions } from './find-earlier-questions.ts';
import styles from './question-offers.module.css';

interface Props {
  classId: string;
  room: Room;
  /** The draft, which is not empty. */
  text: string;
  /** The member asks the draft as a question. */
  isQuestion: boolean;
  field: RefObject<HTMLTextAreaElement | null>;
}

/** Offers to ask a text as a question if a question mark ends it, and shows earlier questions while one is typed. */
export function QuestionOffers({ isQuestion, ...props }: Props) {
  const { classId, text, field } = props;
  const isOffered = !isQuestion && /[?？؟]\s*$/.test(text);
  return (
    <>
      <div role="status" className={styles.offer}>
        {isOffered && (
          <button
            type="button"
            className="row meta"
            onClick={() => {
              saveQuestionDraft(classId, true);
              field.current?.focus({ preventScroll: true });
            }}
          >
            <Icon name="question" size={16} />
            {getText('chat.composer.askAsQuestion')}
          </button>
        )}
      </div>
      {isQuestion && <EarlierQuestions {...props} />}
    </>
  );
}

/** Offers the nearest questions that the class asked before, over the messages, until the member closes the list. */
function EarlierQuestions({ classId, room, text, field }: Omit<Props, 'isQuestion'>) {
  const { view, questions, personas } = useQuestions(classId, room);
  const { openMessage } = useOpenMessage(room);
  const [isClosed, setIsClosed] = useState(false);
  const typedText = useDeferredValue(text);
  const nearest = useMemo(
    () =>
      findEarlierQuestions(
        questions
          .filter(({ moderation }) => moderation === null)
          .map((question) => ({ ...question, text: toPlainText(question.text, personas) })),
        typedText,
      ),
    [questions, personas, typedText],
  );
  const isShown = !isClosed && nearest.length > 0;
  const close = () => {
    setIsClosed(true);
    field.current?.focus({ preventScroll: true });
  };
  useEscape(isShown, close);
  return (
    <>
      <VisuallyHidden>
        <span role="status">{isShown && getText('chat.askedBefore.found')}</span>
      </VisuallyHidden>
      {isShown && (
        <section className={styles.list} aria-label={getText('chat.askedBefore.label')}>
          <div className={styles.head}>
            <p className="grow">{getText('chat.askedBefore.title')}</p>
            <IconButton icon="close" label={getText('chat.askedBefore.close')} onClick={close} />
          </div>
          <ul>
            {nearest.map((question) => (
              <li key={question.id}>
                <button
                  type="button"
                  className={styles.question}
                  onClick={() => void openMessage(question.id)}
                >
                  <EarlierQuestion
                    question={question}
                    personas={personas}
                    preferences={view.preferences}
                  />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface QuestionProps {
  question: ShownQuestion;
  personas: RoomView['personas'];
  preferences: RoomView['preferences'];
}

/** The question and its answer, a line each. */
function EarlierQuestion({ question: { text, question }, personas, preferences }: QuestionProps) {
  const answer = question.answer ?? question.endorsed;
  return (
    <>
      <bdi className={`truncate ${styles.text}`}>{text}</bdi>
      <span
        className={`row muted ${styles.answer}`}
        data-answered={isAnswered(question) || undefined}
      >
        {answer ? (
          <>
            <Icon name="check" size={16} />
            <bdi className="truncate">{toAnswerText(answer, personas, preferences)}</bdi>
          </>
        ) : (
          getText('chat.askedBefore.noAnswer')
        )}
      </span>
    </>
  );
}
