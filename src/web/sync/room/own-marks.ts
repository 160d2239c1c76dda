// The viewer's own votes and marks on the questions and polls of a class: what the server has, and what the outbox has not sent.
import type { Message } from '#contract/entities.ts';
import type { OutboxEntry } from '#web/sync/outbox/outbox-storage.ts';
import type { OwnChoices, OwnMarks, OwnVote, SentVote } from './room.ts';

const noMarks: OwnMarks = { votes: new Map(), choices: new Map(), entries: [] };

/** @param digits the server's digit for each of the questions: '1' if the viewer has it, too */
export function toOwnVotes(questions: readonly Pick<Message, 'id'>[], digits: string): OwnVote[] {
  return questions.map(({ id }, n) => ({ messageId: id, voted: digits[n] === '1' }));
}

export class OwnMarkStore {
  #marks = noMarks;
  #votedIds: readonly string[] = [];

  /** @param entries the unsent votes and marks of the class */
  getMarks(entries: readonly OutboxEntry[]): OwnMarks {
    const previousEntries = this.#marks.entries;
    const isSame =
      entries.length === previousEntries.length &&
      entries.every((entry, n) => entry === previousEntries[n]);
    if (!isSame) this.#marks = { ...this.#marks, entries };
    return this.#marks;
  }

  /** The ids of the questions for which the server has the viewer's vote. They are a new array if they change. */
  votedIds(): readonly string[] {
    return this.#votedIds;
  }

  /** The viewer votes or takes the vote back, on any device. The published number follows later. */
  receiveChange({ messageId, voted }: OwnVote): void {
    const { counted } = this.#marks.votes.get(messageId) ?? { counted: false };
    this.#set([[messageId, { voted, counted }]]);
  }

  receiveChoices({ messageId, choices }: OwnChoices): void {
    const newChoices = new Map(this.#marks.choices).set(messageId, choices);
    this.#marks = { ...this.#marks, choices: newChoices };
  }

  /** The room may lack votes in polls of other devices. Those of open polls are read again. */
  forgetChoices(): void {
    this.#marks = { ...this.#marks, choices: noMarks.choices };
  }

  /**
   * The server lists these votes. Whether the published numbers have those that are new here is not known, but most have.
   *
   * @param votesBefore what `votes` was when the list was requested: a vote that changed since then is newer than the list
   */
  receiveList(votes: readonly OwnVote[], votesBefore: OwnMarks['votes']): void {
    const current = this.#marks.votes;
    this.#set(
      votes
        .filter(({ messageId: id }) => current.get(id) === votesBefore.get(id))
        .filter(({ messageId: id, voted }) => (current.get(id)?.voted ?? false) !== voted)
        .map(({ messageId, voted }) => [messageId, { voted, counted: voted }]),
    );
  }

  /** The published numbers of these questions, or of all if it is null, have the viewer's votes now. */
  onPublished(messageIds: ReadonlySet<string> | null): void {
    this.#set(
      [...this.#marks.votes]
        .filter(([id, { voted, counted }]) => voted !== counted && messageIds?.has(id) !== false)
        .map(([id, { voted }]) => [id, { voted, counted: voted }]),
    );
  }

  clear(): void {
    this.#marks = noMarks;
    this.#votedIds = [];
  }

  #set(changes: readonly [string, SentVote][]): void {
    if (changes.length === 0) return;
    const votes = new Map([...this.#marks.votes, ...changes]);
    this.#marks = { ...this.#marks, votes };
    const votedIds = [...votes].filter(([, { voted }]) => voted).map(([id]) => id);
    if (String(votedIds) !== String(this.#votedIds)) this.#votedIds = votedIds;
  }
}
