import { useSyncExternalStore } from 'react';
import type { Question } from '#contract/entities.ts';
import { isAnswered, mayVote } from '#web/data/questions.ts';
import { toRoomQuestion } from '#web/data/room-questions.ts';
import { type Answer, collapsedText, isCollapsed } from '#web/markup/answer-text.ts';
import { toQuoteSummary } from '#web/markup/quote-summary.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { VoteButton } from '#web/ui/vote-button.tsx';
import { useMentionNames } from '#web/ui/mention.tsx';
import { QuoteLine } from '../messages/quoted-message.tsx';
import styles from './question-note.module.css';

interface Props {
  message: Pick<RoomMessage, 'id' | 'delivery'>;
  question: Question;
  room: Room;
  isMine: boolean;
  /** The viewer's memberId. Null in a class that has ended. */
  me: string | null;
  canSend: boolean;
  tabIndex: 0 | -1;
  onJumpTo: (id: string) => void;
}

/** What stands under the text of a question: its sign, how many have it too, and its answers. */
export function QuestionNote(props: Props) {
  const { message, room, isMine, me, canSend, tabIndex, onJumpTo } = props;
  // It changes with each vote and mark of the viewer, and is read without the rest of the view.
  useSyncExternalStore(room.subscribe, () => room.getSnapshot().marks);
  const question = toRoomQuestion(message.id, props.question, room.getSnapshot());
  const { votes, voted, shownVotes } = question;
  const hasAnswer = isAnswered(question);
  const isVoter = mayVote(question, { isMine, canSend, hasEnded: me === null });
  return (
    <div className={styles.note}>
      <p className={styles.sign} data-answered={hasAnswer || undefined}>
        <Icon name={hasAnswer ? 'check' : 'question'} size={16} />
        {hasAnswer ? 'Answered' : 'Question'}
      </p>
      {message.delivery === 'sent' && (
        <VoteButton
          votes={isVoter ? shownVotes : votes}
          voted={voted}
          tabIndex={tabIndex}
          onToggle={isVoter ? () => room.vote(message.id, !voted) : null}
        />
      )}
      {listAnswers(question).map(({ label, answer }) => (
        <AnswerLine
          key={label}
          label={label}
          answer={answer}
          room={room}
          tabIndex={tabIndex}
          onJumpTo={onJumpTo}
        />
      ))}
    </div>
  );
}

/** The endorsed reply is usually the answer, too. */
function listAnswers({
  answer,
  endorsed,
}: Pick<Question, 'answer' | 'endorsed'>): { label: string; answer: Answer }[] {
  if (answer && answer.messageId === endorsed?.messageId) {
    return [{ label: 'Answer, endorsed by staff', answer }];
  }
  return [
    ...(answer ? [{ label: 'Answer', answer }] : []),
    ...(endorsed ? [{ label: 'Endorsed by staff', answer: endorsed }] : []),
  ];
}

interface AnswerProps extends Pick<Props, 'room' | 'tabIndex' | 'onJumpTo'> {
  label: string;
  answer: Answer;
}

/** The beginning of an answer, in one line. A press jumps to it. */
function AnswerLine({ label, answer, room, tabIndex, onJumpTo }: AnswerProps) {
  const personas = useMentionNames();
  const preferences = useSyncExternalStore(
    room.preferences.subscribe,
    room.preferences.getSnapshot,
  );
  const { messageId, quote } = answer;
  const { memberId, anonymousName, staff } = quote;
  return (
    <button
      type="button"
      className={styles.answer}
      tabIndex={tabIndex}
      onClick={() => onJumpTo(messageId)}
    >
      <span className={styles.label}>{label}</span>
      <span className={styles.quote}>
        {isCollapsed(answer, preferences) ? (
          collapsedText
        ) : (
          <QuoteLine
            memberId={memberId}
            persona={
              personas.get(memberId) ?? {
                memberId,
                anonymousName,
                icon: memberId,
                ...(staff && { staff }),
              }
            }
            text={toQuoteSummary(quote, personas)}
          />
        )}
      </span>
    </button>
  );
}
