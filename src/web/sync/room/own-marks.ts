// The viewer's own votes and marks on the questions of a class: what the server has, and what the outbox has not sent.
import type { Question } from '#contract/entities.ts';
import type { OutboxEntry } from '#web/sync/outbox/outbox-storage.ts';
import type { UnsentQuotes } from '#web/sync/outbox/unsent-quotes.ts';
import type { OwnMark, OwnMarks, RoomMessage, RoomQuestion } from './room.ts';

/** @param marks what the viewer did with the questions of the room */
export function toRoomQuestion(id: string, question: Question, marks: OwnMarks): RoomQuestion {
  const { voted = false, press, ...answers } = marks.get(id) ?? {};
  // The number of others follows at a random moment, and then has the viewer's vote.
  const isUncounted = press?.votes === question.votes;
  const ownVotes = isUncounted ? Number(voted) - Number(press.voted) : 0;
  const shownVotes = Math.max(question.votes + ownVotes, Number(voted));
  return { ...question, ...answers, voted, shownVotes };
}

export class OwnMarkStore {
  readonly #quotes: Pick<UnsentQuotes, 'find'>;
  /** The questions for which the server has the viewer's vote. */
  #votedIds: readonly string[] = [];
  readonly #presses = new Map<string, NonNullable<OwnMark['press']>>();
  #entries: readonly OutboxEntry[] = [];
  #marks: OwnMarks = new Map();
  /** The shown message of each message, as long as the marks are the same. */
  #shown = new WeakMap<RoomMessage, RoomMessage>();

  constructor(quotes: Pick<UnsentQuotes, 'find'>) {
    this.#quotes = quotes;
  }

  /** The ids of the questions for which the server has the viewer's vote. */
  votedIds(): readonly string[] {
    return this.#votedIds;
  }

  /** @param entries the unsent votes and marks of the class */
  getMarks(entries: readonly OutboxEntry[]): OwnMarks {
    const isSame =
      entries.length === this.#entries.length &&
      entries.every((entry, n) => entry === this.#entries[n]);
    this.#entries = entries;
    if (!isSame) this.#update();
    return this.#marks;
  }

  /** The server has these votes, or no longer has them. */
  receive(votes: readonly { messageId: string; voted: boolean }[]): void {
    const ids = new Set(this.#votedIds);
    for (const { messageId, voted } of votes) {
      if (voted) ids.add(messageId);
      else ids.delete(messageId);
    }
    this.#votedIds = [...ids];
    this.#update();
  }

  /** The viewer presses the button of a question, which is shown like this. */
  onPress(id: string, { votes, voted }: RoomQuestion): void {
    if (this.#presses.get(id)?.votes === votes) return;
    this.#presses.set(id, { votes, voted });
    this.#update();
  }

  clear(): void {
    this.#votedIds = [];
    this.#presses.clear();
    this.#update();
  }

  /** Returns the same object for the same message while the marks are the same. */
  applyTo(message: RoomMessage): RoomMessage {
    const { id, question } = message;
    if (!question) return message;
    // The published number has changed, and includes the viewer's vote.
    if (this.#presses.get(id)?.votes !== question.votes) this.#presses.delete(id);
    const shownMessage = this.#shown.get(message) ?? {
      ...message,
      question: toRoomQuestion(id, question, this.#marks),
    };
    this.#shown.set(message, shownMessage);
    return shownMessage;
  }

  #update(): void {
    const marks = new Map<string, OwnMark>();
    const add = (id: string, mark: OwnMark) => marks.set(id, { ...marks.get(id), ...mark });
    for (const id of this.#votedIds) add(id, { voted: true });
    for (const [id, press] of this.#presses) add(id, { press });
    for (const entry of this.#entries) {
      if (entry.mark && entry.failure === null) add(entry.mark.messageId, this.#toOwnMark(entry));
    }
    this.#marks = marks;
    this.#shown = new WeakMap();
  }

  #toOwnMark({ id, mark }: OutboxEntry): OwnMark {
    if (!mark) return {};
    if (mark.kind === 'vote') return { voted: mark.voted };
    const { answerId } = mark;
    const quote = this.#quotes.find({ id, replyTo: answerId });
    // The log brings an answer that the replica never held.
    if (answerId !== null && !quote) return {};
    const answer = quote && { messageId: answerId ?? '', quote };
    return mark.kind === 'answer' ? { answer } : { endorsed: answer };
  }
}
