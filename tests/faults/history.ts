// What happened in one round, as plain data: the checker needs nothing else, and a test can write one.
import type { Emoji } from '#contract/emojis.ts';

/** Milliseconds of the one clock of the process that runs the clients. */
type Time = number;

/** What one try of an operation came to. `later`: refused for now, so it is tried again. */
export type Answer =
  | { kind: 'acknowledged'; at: Time; seq: number }
  | { kind: 'refused'; at: Time; code: string }
  | { kind: 'later'; at: Time; code: string }
  /** The connection ended before an answer. */
  | { kind: 'unknown'; at: Time };

interface OperationBase {
  client: string;
  classId: string;
  /** Who the client is in that class. */
  memberId: string;
  messageId: string;
  invokedAt: Time;
  /** Of all its tries, in order. */
  answers: Answer[];
}

export type Operation = OperationBase &
  (
    | { kind: 'post'; text: string }
    | { kind: 'edit'; text: string }
    | { kind: 'delete' }
    | { kind: 'react'; emoji: Emoji | null }
  );

/** A message as a client holds it at the end. */
export interface Held {
  id: string;
  seq: number;
  memberId: string;
  text: string;
  reactions: Readonly<Record<string, Emoji>>;
}

/** One client's list of one class when all is quiet, its older pages loaded too. */
export interface FinalList {
  client: string;
  classId: string;
  messages: Held[];
  /** From its last reconnecting until it had what the server has; null: not within the time given. */
  equalAfterMs: number | null;
}

interface StreamItem {
  seq: number;
  kind: string;
  /** Of the message that it is about, if it is about one. */
  messageId: string | null;
}

/** What a client applied to its list, in order. */
export type Step =
  | { kind: 'snapshot'; at: Time; seq: number }
  | { kind: 'events'; at: Time; from: number; to: number; items: StreamItem[] };

export interface Stream {
  client: string;
  classId: string;
  steps: Step[];
}

/** The tables, read from the file after the server ended. */
export interface Stored {
  classId: string;
  head: number;
  /** Every seq of the log that is kept, in order. */
  log: number[];
  /** Messages that are not deleted, in order. */
  messages: { id: string; seq: number; memberId: string }[];
  reactions: { messageId: string; memberId: string; emoji: string }[];
}

/** The database was put back to an older state; what was newer is gone, and must be gone everywhere. */
export interface Restore {
  at: Time;
  /** By class, the head of the log that was put back. */
  heads: Readonly<Record<string, number>>;
}

/** A promise that a fault watched over by itself, such as: reading goes on. */
export interface Observation {
  promise: string;
  held: boolean;
  detail: string;
}

export interface History {
  operations: Operation[];
  lists: FinalList[];
  streams: Stream[];
  stored: Stored[];
  restores: Restore[];
  /** What somebody got of a class that they were not in. */
  overheard: { client: string; classId: string; frame: string }[];
  /** Bytes of the server's memory; null where the system does not tell. */
  memory: { before: number; peak: number } | null;
  observations: Observation[];
}

export function emptyHistory(): History {
  return {
    operations: [],
    lists: [],
    streams: [],
    stored: [],
    restores: [],
    overheard: [],
    memory: null,
    observations: [],
  };
}
