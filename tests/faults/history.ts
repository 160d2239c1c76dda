// The history of one round as plain data. It is the checker's only input, so a test can write one.
import type { Emoji } from '#contract/emojis.ts';

/** Milliseconds, by the clock of the process that runs the clients. */
type Time = number;

/** The outcome of one attempt at an operation. `later`: rejected for now, so the client retries. */
export type Answer =
  | { kind: 'acknowledged'; time: Time; seq: number }
  | { kind: 'rejected'; time: Time; code: string }
  | { kind: 'later'; time: Time; code: string }
  /** The connection ended before an answer. */
  | { kind: 'unknown'; time: Time };

interface OperationBase {
  client: string;
  classId: string;
  /** The client's memberId in that class. */
  memberId: string;
  messageId: string;
  invokedAt: Time;
  /** The outcomes of all attempts, in order. */
  answers: Answer[];
}

export type Operation = OperationBase &
  (
    | { kind: 'post'; text: string }
    | { kind: 'edit'; text: string }
    | { kind: 'delete' }
    | { kind: 'react'; emoji: Emoji | null }
  );

/** A message in a client's list at the end of the round. */
export interface ReplicaMessage {
  id: string;
  seq: number;
  memberId: string;
  text: string;
  reactions: Readonly<Record<string, Emoji>>;
}

/** One client's list of one class at the end of the round, with its older pages. */
export interface FinalList {
  client: string;
  classId: string;
  messages: ReplicaMessage[];
  /** The time from the last reconnect until the list matched the server; null if it did not in time. */
  equalAfterMs: number | null;
}

interface StreamItem {
  seq: number;
  kind: string;
  /** Set if the event concerns a message. */
  messageId: string | null;
}

/** An event that a client applied to its list, in order. */
export type Step =
  | { kind: 'snapshot'; time: Time; seq: number }
  | { kind: 'events'; time: Time; from: number; to: number; items: StreamItem[] };

export interface Stream {
  client: string;
  classId: string;
  steps: Step[];
}

/** The tables, read from the file after the server exited. */
export interface Stored {
  classId: string;
  head: number;
  /** Every seq that the log still has, in order. */
  log: number[];
  /** Messages that are not deleted, in order. */
  messages: { id: string; seq: number; memberId: string }[];
  reactions: { messageId: string; memberId: string; emoji: string }[];
}

/** The database was restored to an older state. Newer content must disappear everywhere. */
export interface Restore {
  time: Time;
  /** The head of the restored log of each class. */
  heads: Readonly<Record<string, number>>;
}

/** A promise that a fault checks itself, such as: reads continue. */
export interface Observation {
  expectation: string;
  isMet: boolean;
  detail: string;
}

export interface History {
  operations: Operation[];
  lists: FinalList[];
  streams: Stream[];
  stored: Stored[];
  restores: Restore[];
  /** What clients received of classes that they were not in. */
  leaks: { client: string; classId: string; frame: string }[];
  /** Bytes of the server's memory; null if the system does not report it. */
  memory: { bytesBefore: number; peak: number } | null;
  observations: Observation[];
}

export function createEmptyHistory(): History {
  return {
    operations: [],
    lists: [],
    streams: [],
    stored: [],
    restores: [],
    leaks: [],
    memory: null,
    observations: [],
  };
}
