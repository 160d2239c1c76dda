import { useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import { toImageCounts } from '#contract/pdf.ts';
import type { ShownQuestion } from '#web/data/questions.ts';
import { countImages, moderationTexts } from '#web/format.ts';
import { toAnswerText } from '#web/markup/answer-text.ts';
import type { RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { EntryAuthor, EntryTime } from '#web/ui/message-entry.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { VoteButton } from '#web/ui/vote-button.tsx';
import styles from './question-panel.module.css';

interface Props {
  classId: string;
  item: ShownQuestion;
  personas: RoomView['personas'];
  preferences: RoomView['preferences'];
  /** Tells the author from others called 'Anonymous'. */
  tag: string | undefined;
  messageState: object;
  /** Null if the viewer cannot vote for the question. */
  onVote: (() => void) | null;
  /** Marks that the question was answered aloud, or takes the mark back. Null if the viewer does not hold the lecture. */
  onDone: (() => void) | null;
}

/** A question with its answer, which opens it in the room. */
export function QuestionEntry(props: Props) {
  const { classId, item, personas, preferences, tag, messageState, onVote, onDone } = props;
  const [now] = useState(() => new Date());
  const { id, memberId, text, images, createdAt, moderation, question } = item;
  const persona = personas.get(memberId);
  const { voted, votes, shownVotes, endorsed, done } = question;
  const answer = question.answer ?? endorsed;
  const files = countImages(toImageCounts(images));
  return (
    <li className={styles.entry}>
      <Link
        data-question
        className={styles.question}
        to={`/home/${classId}?message=${id}`}
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
        {moderation === null && answer && (
          <span className={styles.answer}>
            <Icon name="check" size={16} />
            <span className={styles.answerText}>
              <VisuallyHidden>Answer: </VisuallyHidden>
              <bdi>{toAnswerText(answer, personas, preferences)}</bdi>
            </span>
            {endorsed?.messageId === answer.messageId && (
              <span className={styles.endorsed}>Endorsed</span>
            )}
          </span>
        )}
        {!answer && done && (
          <span className={styles.answer}>
            <Icon name="check" size={16} />
            Answered in the lecture
          </span>
        )}
      </Link>
      <div className={styles.vote}>
        <VoteButton votes={onVote ? shownVotes : votes} voted={voted} onToggle={onVote} />
        {onDone && (
          <TextButton aria-pressed={done === true} onClick={onDone}>
            {done ? 'Done' : 'Mark as done'}
          </TextButton>
        )}
      </div>
    </li>
  );
}
