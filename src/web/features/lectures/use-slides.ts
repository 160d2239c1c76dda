import { useState } from 'react';
import type { Presentation } from './presentation.ts';

type Question = Presentation['presentedQuestions'][number];

/** What the screen shows: the poll, which comes before the questions, or one of them. */
export function useSlides({ presentedQuestions: questions, presentedPoll }: Presentation) {
  const [position, setPosition] = useState<Position>({ key: null, index: 0, isDone: false });
  const [isOnPoll, setIsOnPoll] = useState(false);
  const [lastPollKey, setLastPollKey] = useState<string | null>(null);
  const pollKey = presentedPoll?.pollKey ?? null;
  if (pollKey !== lastPollKey) {
    // Staff have shown another poll, or none any more.
    setLastPollKey(pollKey);
    setIsOnPoll(pollKey !== null);
  }
  const shown = questions.find(({ questionKey }) => questionKey === position.key);
  if (shown?.answeredAloud && !position.isDone) {
    // Staff have marked it as done, so the screen goes on with the first question that is open.
    setPosition(
      questions[0]?.answered === false ? toPosition(questions, 0) : { ...position, isDone: true },
    );
  }
  const poll = isOnPoll ? presentedPoll : null;
  const index = findIndex(questions, position);
  const lastIndex = questions.length - 1;
  return {
    poll,
    index,
    hasPrevious: !poll && (index > 0 || presentedPoll !== null),
    hasNext: poll ? lastIndex >= 0 : index < lastIndex,
    /** After the poll comes the question that it covered. */
    step(distance: number) {
      if (poll && (distance < 0 || lastIndex < 0)) return;
      const target = (poll ? index - 1 : index) + distance;
      setIsOnPoll(target < 0 && presentedPoll !== null);
      const newIndex = Math.max(0, Math.min(target, lastIndex));
      setPosition(toPosition(questions, newIndex));
    },
  };
}

interface Position {
  key: string | null;
  index: number;
  /** It was marked as done before it was shown, or no question is open any more. */
  isDone: boolean;
}

function toPosition(questions: readonly Question[], index: number): Position {
  const question = questions[index];
  return { key: question?.questionKey ?? null, index, isDone: question?.answeredAloud ?? false };
}

/** The shown question stays when others overtake it. If it is gone, the one in its place follows. */
function findIndex(questions: readonly Question[], { key, index }: Position): number {
  const keptIndex = questions.findIndex(({ questionKey }) => questionKey === key);
  return keptIndex === -1 ? Math.max(0, Math.min(index, questions.length - 1)) : keptIndex;
}
