// A question as the viewer sees it, with the votes and marks that this browser has not sent yet.
import { defaultName } from '#contract/default-name.ts';
import type { Question } from '#contract/entities.ts';
import { toLocalQuote } from '#contract/quote-text.ts';
import { toImageCounts } from '#contract/pdf.ts';
import type { OutboxEntry } from '#web/sync/outbox/outbox-storage.ts';
import type { RoomView } from '#web/sync/room/room.ts';

export interface RoomQuestion extends Omit<Question, 'done'> {
  /** Staff answered the question aloud. */
  done?: boolean;
  /** The viewer has this question, too. */
  voted: boolean;
  /** The published number, and the viewer's own vote if the number lacks it. */
  shownVotes: number;
}

type View = Pick<RoomView, 'marks' | 'messages' | 'personas'>;

export function toRoomQuestion(id: string, question: Question, view: View): RoomQuestion {
  const { votes, entries } = view.marks;
  const unsent = entries.filter(({ mark, failure }) => mark?.messageId === id && failure === null);
  const unsentVote = unsent.flatMap(({ mark }) => (mark?.type === 'vote' ? [mark] : [])).at(-1);
  const sentVote = votes.get(id) ?? { voted: false, counted: false };
  const voted = unsentVote?.voted ?? sentVote.voted;
  const otherVotes = question.votes - Number(sentVote.counted);
  const shownQuestion = {
    ...question,
    voted,
    shownVotes: Math.max(0, otherVotes) + Number(voted),
  };
  for (const entry of unsent) Object.assign(shownQuestion, toUnsentMark(entry, view));
  return shownQuestion;
}

function toUnsentMark({ mark }: OutboxEntry, view: View): Partial<RoomQuestion> {
  if (mark?.type === 'done') return { done: mark.done };
  if (mark?.type !== 'answer') return {};
  const field = mark.endorsed ? 'endorsed' : 'answer';
  const { answerId } = mark;
  if (answerId === null) return { [field]: null };
  const message = view.messages.find(({ id }) => id === answerId);
  // The log brings an answer that the room does not hold.
  if (!message) return {};
  const { memberId, text, images } = message;
  const { anonymousName = defaultName, staff } = view.personas.get(memberId) ?? {};
  const author = { memberId, anonymousName, ...(staff && { staff }) };
  const quote = { ...author, text: toLocalQuote(text), ...toImageCounts(images) };
  return { [field]: { messageId: answerId, quote } };
}
