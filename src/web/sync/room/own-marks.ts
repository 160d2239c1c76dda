// The viewer's own votes and marks on the questions and polls of a class: what the server has, and what the outbox has not sent.
import type { OutboxEntry } from '#web/sync/outbox/outbox-storage.ts';
import type { OwnMarks, OwnVote, ShownVote } from './room.ts';

export class OwnMarkStore {
  #marks: OwnMarks = { votedIds: [], presses: new Map(), choices: new Map(), entries: [] };

  /** @param entries the unsent votes and marks of the class */
  getMarks(entries: readonly OutboxEntry[]): OwnMarks {
    const previousEntries = this.#marks.entries;
    const isSame =
      entries.length === previousEntries.length &&
      entries.every((entry, n) => entry === previousEntries[n]);
    if (!isSame) this.#marks = { ...this.#marks, entries };
    return this.#marks;
  }

  /** The ids of the questions for which the server has the viewer's vote. */
  votedIds(): readonly string[] {
    return this.#marks.votedIds;
  }

  /** The server has these votes, or no longer has them. */
  receive(votes: readonly OwnVote[]): void {
    const ids = new Set(this.#marks.votedIds);
    const choices = new Map(this.#marks.choices);
    for (const vote of votes) {
      if ('choices' in vote) choices.set(vote.messageId, vote.choices);
      else if (vote.voted) ids.add(vote.messageId);
      else ids.delete(vote.messageId);
    }
    this.#marks = { ...this.#marks, votedIds: [...ids], choices };
  }

  /** The viewer presses the button of a question, which is shown like this. */
  onPress(id: string, { votes, voted }: ShownVote): void {
    const { presses } = this.#marks;
    if (presses.get(id)?.votes === votes) return;
    this.#marks = { ...this.#marks, presses: new Map(presses).set(id, { votes, voted }) };
  }

  clear(): void {
    this.#marks = { votedIds: [], presses: new Map(), choices: new Map(), entries: [] };
  }
}
