// The storage interface for unsent messages, deletions, votes and marks. The in-memory implementation serves tests and
// browsers that forbid storage.

import type { ClientFrame } from '#contract/socket.ts';

/** A poll as its author sends it. */
export type NewPoll = NonNullable<Extract<ClientFrame, { type: 'post' }>['poll']>;

/** A picture of an unsent message. */
export interface OutboxPicture {
  /** Random. Identifies its upload in all tabs. */
  readonly id: string;
  /** The chosen file without its name. Null if the browser had no room to store it. */
  readonly bytes: Blob | null;
  /** The size that this browser measured. Null if it cannot decode the picture. */
  readonly size: PictureSize | null;
  readonly alt: string;
  /** Hidden until a reader presses it. */
  readonly spoiler?: true | undefined;
  /** The server's id of the picture, after the upload. */
  readonly imageId: string | null;
  /** Why the server rejected the upload permanently, else null. */
  readonly refusal: string | null;
}

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

export interface QuestionVote {
  readonly type: 'vote';
  readonly messageId: string;
  readonly voted: boolean;
  readonly endorsed?: undefined;
}

export interface AnswerMark {
  readonly type: 'answer';
  readonly messageId: string;
  /** Null takes the mark back. */
  readonly answerId: string | null;
  /** The mark of staff. */
  readonly endorsed?: true;
}

export interface PollVote {
  readonly type: 'choose';
  readonly messageId: string;
  /** The positions of the chosen options. None takes the vote back. */
  readonly choices: number[];
  readonly endorsed?: undefined;
}

/** Staff answered the question aloud, or take that back. */
export interface DoneMark {
  readonly type: 'done';
  readonly messageId: string;
  readonly done: boolean;
  readonly endorsed?: undefined;
}

/** What the member does with a question or a poll: the frame that says so, without its class. */
export type QuestionMark = QuestionVote | AnswerMark | DoneMark | PollVote;

/** An unsent message, the deletion of a sent one, a vote or mark on a question, or a vote in a poll. */
export interface OutboxEntry {
  readonly id: string;
  /** The id of the message to delete. Its entry has neither text nor pictures. */
  readonly deletes?: string | undefined;
  /** The vote or the mark of the answer. Its entry has neither text nor pictures. */
  readonly mark?: QuestionMark | undefined;
  readonly classId: string;
  readonly text: string;
  /** The member changed the text after writing it. The server may have the message with the earlier text. */
  readonly edited?: true | undefined;
  readonly pictures: readonly OutboxPicture[];
  readonly replyTo: string | null;
  /** The author asks the message as a question. */
  readonly question?: true | undefined;
  /** The author asks the message as a poll. */
  readonly poll?: NewPoll | undefined;
  readonly topicId?: string | undefined;
  /** The memberId of the author's staff persona, if that persona is the author. */
  readonly staffId?: string | undefined;
  /** The number of the icon with which the author appears, if no one has seen the author yet. */
  readonly icon?: number | undefined;
  readonly createdAt: number;
  /** The error message if the server rejected it permanently, else null. */
  readonly failure: string | null;
}

/** `account` is the author's account. The entry is never sent under another account. */
export type StoredEntry = OutboxEntry & { readonly account: string };

/** The bytes of a picture that was staged, but not sent. */
export interface StagedFile {
  readonly id: string;
  readonly account: string;
  readonly bytes: Blob;
  /** What the member can send instead: the original of a smaller copy, or the copy of an original. */
  readonly alternative?: Blob | null | undefined;
  readonly savedAt: number;
}

export interface OutboxStorage {
  /** Whether other tabs see the same entries. */
  readonly shared: boolean;
  /** Lists the entries in their order, which is the same in all tabs. */
  list(account: string): Promise<readonly StoredEntry[]>;
  /**
   * Replaces the entry with this id at its place. A new entry is added before the one with the other id, or else at
   * the end.
   */
  put(entry: StoredEntry, beforeId?: string): Promise<void>;
  /** Removes the entries, except those whose text another tab has changed in the meantime. */
  remove(entries: readonly Pick<StoredEntry, 'id' | 'text'>[]): Promise<void>;
  /** Removes all entries and staged files of the account. */
  clear(account: string): Promise<void>;
  listStaged(account: string): Promise<readonly StagedFile[]>;
  putStaged(file: StagedFile): Promise<void>;
  removeStaged(ids: readonly string[]): Promise<void>;
}

export function createMemoryStorage(shared = false): OutboxStorage {
  let entries: readonly StoredEntry[] = [];
  const staged = new Map<string, StagedFile>();
  const findIndex = (id: string | undefined) => entries.findIndex((entry) => entry.id === id);
  return {
    shared,
    list: (account) => Promise.resolve(entries.filter((entry) => entry.account === account)),
    put(entry, beforeId) {
      const index = findIndex(entry.id);
      const nextIndex = findIndex(beforeId);
      if (index >= 0) entries = entries.with(index, entry);
      else entries = entries.toSpliced(nextIndex < 0 ? entries.length : nextIndex, 0, entry);
      return Promise.resolve();
    },
    remove(removedEntries) {
      entries = entries.filter(
        (entry) => !removedEntries.some(({ id, text }) => id === entry.id && text === entry.text),
      );
      return Promise.resolve();
    },
    clear(account) {
      entries = entries.filter((entry) => entry.account !== account);
      for (const file of staged.values()) if (file.account === account) staged.delete(file.id);
      return Promise.resolve();
    },
    listStaged: (account) =>
      Promise.resolve([...staged.values()].filter((file) => file.account === account)),
    putStaged(file) {
      staged.set(file.id, file);
      return Promise.resolve();
    },
    removeStaged(ids) {
      for (const id of ids) staged.delete(id);
      return Promise.resolve();
    },
  };
}
