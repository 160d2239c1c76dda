import type { ReactNode } from 'react';
import type { Question } from '#contract/entities.ts';
import { isAnswered, mayVote } from '#web/data/questions.ts';
import { toRoomQuestion } from '#web/data/room-questions.ts';
import { getText } from '#web/get-text.ts';
import { type Answer, collapsedText, isCollapsed } from '#web/markup/answer-text.ts';
import { toQuoteSummary } from '#web/markup/quote-summary.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { EntryAuthor } from '#web/ui/message-entry.tsx';
import { useMentionNames } from '#web/ui/mention.tsx';
import { FoldedAnswer, QuestionCard } from '#web/ui/question-card.tsx';
import { useStore } from '#web/use-store.ts';

interface Props {
  message: Pick<RoomMessage, 'id'>;
  question: Question;
  room: Room;
  isMine: boolean;
  /** The viewer's memberId. Null in a class that has ended. */
  me: string | null;
  canSend: boolean;
  tabIndex: 0 | -1;
  onJumpTo: (id: string) => void;
  /** The text and the pictures of the message. */
  children: ReactNode;
}

/** A message that is a question: its card, with the answers. */
export function MessageQuestion(props: Props) {
  const { message, room, isMine, me, canSend, tabIndex, onJumpTo, children } = props;
  // It changes with each vote and mark of the viewer, and is read without the rest of the view.
  useStore(room, (snapshot) => snapshot.marks);
  const view = room.getSnapshot();
  const question = toRoomQuestion(message.id, props.question, view);
  const { votes, voted, shownVotes } = question;
  const answers = listAnswers(question);
  const isVoter = mayVote(question, {
    isMine,
    canSend,
    isStaff: view.staff !== null,
    hasEnded: me === null,
  });
  const state = isAnswered(question) ? 'done' : 'open';
  return (
    <QuestionCard
      vote={{
        votes: isVoter ? shownVotes : votes,
        voted,
        tabIndex,
        onToggle: isVoter ? () => room.vote(message.id, !voted) : null,
      }}
      state={answers.length > 0 ? null : state}
      footer={answers.map(({ label, answer }) => (
        <MessageAnswer
          key={label}
          label={label}
          answer={answer}
          room={room}
          tabIndex={tabIndex}
          onJumpTo={onJumpTo}
        />
      ))}
    >
      {children}
    </QuestionCard>
  );
}

/** The endorsed reply is usually the answer, too. */
function listAnswers({
  answer,
  endorsed,
}: Pick<Question, 'answer' | 'endorsed'>): { label: string; answer: Answer }[] {
  if (answer && answer.messageId === endorsed?.messageId) {
    return [{ label: getText('chat.answer.endorsedLabel'), answer }];
  }
  return [
    ...(answer ? [{ label: getText('chat.answer.label'), answer }] : []),
    ...(endorsed ? [{ label: getText('chat.answer.endorsementLabel'), answer: endorsed }] : []),
  ];
}

interface AnswerProps extends Pick<Props, 'room' | 'tabIndex' | 'onJumpTo'> {
  label: string;
  answer: Answer;
}

/** The beginning of an answer. A press jumps to it. */
function MessageAnswer({ label, answer, room, tabIndex, onJumpTo }: AnswerProps) {
  const personas = useMentionNames();
  const preferences = useStore(room.preferences);
  const { messageId, quote } = answer;
  const { memberId, anonymousName, staff } = quote;
  const persona = personas.get(memberId) ?? {
    anonymousName,
    icon: memberId,
    ...(staff && { staff }),
  };
  const isHidden = isCollapsed(answer, preferences);
  return (
    <FoldedAnswer
      label={label}
      author={
        !isHidden && (
          <EntryAuthor name={persona.anonymousName} icon={persona.icon} persona={persona} />
        )
      }
      tabIndex={tabIndex}
      onOpen={() => onJumpTo(messageId)}
    >
      {isHidden ? collapsedText : toQuoteSummary(quote, personas)}
    </FoldedAnswer>
  );
}
