import { useState } from 'react';
import { useNavigate } from 'react-router';
import { defaultName } from '#contract/default-name.ts';
import { toImageCounts } from '#contract/pdf.ts';
import type { ShownQuestion } from '#web/data/questions.ts';
import { countImages, moderationTexts } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { toAnswerText } from '#web/markup/answer-text.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { EntryAuthor, EntryTime } from '#web/ui/message-entry.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { FoldedAnswer, QuestionCard } from '#web/ui/question-card.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import styles from './question-panel.module.css';

interface Props {
  classId: string;
  item: ShownQuestion;
  personas: RoomView['personas'];
  preferences: RoomView['preferences'];
  /** Tells the author from others called 'Anonymous'. */
  tag: string | undefined;
  topicName: string | undefined;
  messageState: object;
  /** Null if the viewer cannot vote for the question. */
  onVote: (() => void) | null;
  /** Marks that the question was answered aloud, or takes the mark back. Null if the viewer does not hold the lecture. */
  onDone: (() => void) | null;
}

/** A question with its answer. Each opens in the room. */
export function QuestionEntry(props: Props) {
  const { classId, item, personas, preferences, tag, topicName, messageState } = props;
  const { onVote, onDone } = props;
  const [now] = useState(() => new Date());
  const { id, memberId, text, images, createdAt, moderation, question } = item;
  const persona = personas.get(memberId);
  const { voted, votes, shownVotes, endorsed, done } = question;
  const answer = moderation === null ? (question.answer ?? endorsed) : null;
  const files = countImages(toImageCounts(images));
  const navigate = useNavigate();
  const toAddress = (messageId: string) => `/home/${classId}?message=${messageId}`;
  return (
    <li>
      <QuestionCard
        vote={{ votes: onVote ? shownVotes : votes, voted, onToggle: onVote }}
        state={!answer && done ? 'done' : null}
        footer={
          <>
            {answer && (
              <FoldedAnswer
                label={
                  endorsed?.messageId === answer.messageId
                    ? getText('questions.entry.endorsed')
                    : getText('questions.entry.answer')
                }
                onOpen={() => void navigate(toAddress(answer.messageId), { state: messageState })}
              >
                {toAnswerText(answer, personas, preferences)}
              </FoldedAnswer>
            )}
            {onDone && (
              <div className={styles.actions}>
                <TextButton aria-pressed={done === true} onClick={onDone}>
                  {done ? getText('questions.entry.done') : getText('questions.entry.markDone')}
                </TextButton>
              </div>
            )}
          </>
        }
      >
        <Link
          data-question
          className={styles.question}
          to={toAddress(id)}
          state={messageState}
          draggable={false}
        >
          <EntryAuthor
            name={persona?.anonymousName ?? defaultName}
            icon={persona?.icon ?? memberId}
            persona={persona}
            tag={tag}
          >
            <EntryTime createdAt={createdAt} now={now} />
          </EntryAuthor>
          {moderation === 'hidden' ? (
            <span className={styles.text}>{moderationTexts.hidden}</span>
          ) : (
            <PlainText text={text} names={personas} className={styles.text}>
              {text && files && ' · '}
              {files}
            </PlainText>
          )}
          {topicName !== undefined && <bdi className="meta truncate">{topicName}</bdi>}
        </Link>
      </QuestionCard>
    </li>
  );
}
