// Remembers how far each member has read each class (decision 98). Positions are kept in memory. Each class writes its own later, at a
// random time and in a separate commit, so that no moment tells which classes one account reads.
import { randomInt } from 'node:crypto';
import type { Actor } from '#server/chat/members/member.ts';
import { createRecentMap } from '#server/base/recent-map.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Registers } from '#server/store/registers.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';

/** A new position, for the other nodes; null if the reader has left. */
export interface ReadMarkNotice {
  classId: string;
  /** A keyed hash of the account. */
  readerKey: string;
  seq: number | null;
  /** Whether the mark replaces any position, also a later one, because the member marked messages as unread. */
  mayMoveBack: boolean;
}

/** The other nodes, which see a position in the database only when it is written. */
export interface ReadMarkNotices {
  deriveAccountKey(accountId: string): string;
  send(notice: ReadMarkNotice): void;
  listen(listener: (notice: ReadMarkNotice) => void): void;
}

interface PendingMark {
  accountId: string;
  seq: number;
  mayMoveBack: boolean;
}

const minDelayMs = 20_000;
const maxDelayMs = 60_000;
/** A longer time than a node waits before it writes a position. */
const remoteMarkMs = 120_000;
const maxRemoteMarks = 50_000;
/** All positions have the same length, so that the size of a register does not tell who has read. */
const positionLength = 10;
const noPosition = toPosition('');

export class ReadMarks {
  readonly #db: Database;
  readonly #commits: CommitQueue;
  readonly #registers: Registers;
  readonly #notices: ReadMarkNotices | undefined;
  /** The marks that are not yet written, by class and reader key. */
  readonly #pending = new Map<string, Map<string, PendingMark>>();
  /** The marks that other nodes have not yet written. */
  readonly #remoteMarks = createRecentMap<{ seq: number }>(maxRemoteMarks, remoteMarkMs);
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #writes = new Set<Promise<void>>();

  /** @param notices undefined if there is one server */
  constructor(db: Database, commits: CommitQueue, registers: Registers, notices?: ReadMarkNotices) {
    this.#db = db;
    this.#commits = commits;
    this.#registers = registers;
    this.#notices = notices;
    notices?.listen((notice) => this.#receive(notice));
  }

  /** Returns the seq up to which the reader has read; null before the first visit. */
  async find({ classId, accountId }: Actor): Promise<number | null> {
    const readerKey = this.#toReaderKey(accountId);
    const mark =
      this.#pending.get(classId)?.get(readerKey) ??
      this.#remoteMarks.get(toRemoteKey(classId, readerKey));
    if (mark) return mark.seq;
    const entries = await this.#registers.read(this.#db, 'readMarks', classId);
    return parsePosition(entries.get(accountId));
  }

  /** Returns the seq up to which the reader has read. On the first visit, all messages up to `head` count as read. */
  async open(reader: Actor, head: number): Promise<number> {
    const seq = await this.find(reader);
    if (seq === null) this.save(reader, head);
    return seq ?? head;
  }

  /** Saves the position. It replaces a later position of another node only if `mayMoveBack` is true. */
  save({ classId, accountId }: Actor, seq: number, mayMoveBack = false): void {
    const readerKey = this.#toReaderKey(accountId);
    const marks = this.#pending.get(classId) ?? new Map<string, PendingMark>();
    const mayReplaceAny = mayMoveBack || marks.get(readerKey)?.mayMoveBack === true;
    marks.set(readerKey, { accountId, seq, mayMoveBack: mayReplaceAny });
    this.#pending.set(classId, marks);
    this.#remoteMarks.delete(toRemoteKey(classId, readerKey));
    this.#schedule(classId);
    this.#notices?.send({ classId, readerKey, seq, mayMoveBack });
  }

  /** Forgets the position of an account that has left the class. Its commit has removed the stored one. */
  delete({ classId, accountId }: Actor): void {
    const notice = { classId, readerKey: this.#toReaderKey(accountId), seq: null };
    this.#receive({ ...notice, mayMoveBack: false });
    this.#notices?.send({ ...notice, mayMoveBack: false });
  }

  /** Writes the remaining marks. */
  async stop(): Promise<void> {
    await Promise.all(this.#writes);
    for (const classId of [...this.#pending.keys()].toSorted()) await this.#write(classId);
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  #receive({ classId, readerKey, seq, mayMoveBack }: ReadMarkNotice): void {
    const marks = this.#pending.get(classId);
    const remoteKey = toRemoteKey(classId, readerKey);
    if (seq === null) {
      marks?.delete(readerKey);
      this.#remoteMarks.delete(remoteKey);
      return;
    }
    const pendingMark = marks?.get(readerKey);
    const currentMark = pendingMark ?? this.#remoteMarks.get(remoteKey);
    // The notices of two nodes may have crossed each other, so a later position stays.
    if (!mayMoveBack && seq <= (currentMark?.seq ?? -1)) return;
    this.#remoteMarks.set(remoteKey, { seq });
    // A pending mark must not overwrite this one later.
    if (pendingMark) marks?.set(readerKey, { ...pendingMark, seq, mayMoveBack: true });
  }

  #schedule(classId: string): void {
    if (this.#timers.has(classId)) return;
    const timer = setTimeout(
      () => {
        const write = this.#write(classId).finally(() => this.#writes.delete(write));
        this.#writes.add(write);
      },
      randomInt(minDelayMs, maxDelayMs),
    );
    this.#timers.set(classId, timer);
  }

  /** Writes the marks of the class. If it fails, they are written later. */
  async #write(classId: string): Promise<void> {
    clearTimeout(this.#timers.get(classId));
    this.#timers.delete(classId);
    const pending = this.#pending.get(classId);
    if (!pending) return;
    const marks = new Map(pending);
    try {
      await this.#commits.write(
        ({ db }) => this.#writeRegister(db, classId, [...marks.values()]),
        'independent',
        // Positions share no transaction with those of another class, nor with messages and personas.
        `read positions of ${classId}`,
      );
    } catch {
      this.#schedule(classId);
      return;
    }
    for (const [readerKey, mark] of marks) {
      if (pending.get(readerKey) === mark) pending.delete(readerKey);
    }
    if (pending.size === 0) this.#pending.delete(classId);
  }

  async #writeRegister(
    tx: DatabaseTransaction,
    classId: string,
    marks: readonly PendingMark[],
  ): Promise<void> {
    // An erased class gets no register.
    if ((await this.#registers.read(tx, 'members', classId)).size === 0) return;
    await this.#registers.change(tx, 'readMarks', classId, async (entries) => {
      // Read after the register is locked: an account that leaves at the same time must not come back.
      const members = await this.#registers.read(tx, 'members', classId);
      for (const accountId of members.keys()) {
        if (!entries.has(accountId)) entries.set(accountId, noPosition);
      }
      for (const { accountId, seq, mayMoveBack } of marks) {
        const storedSeq = parsePosition(entries.get(accountId)) ?? -1;
        // Another node may have written a later position, and Redis may have lost its notice.
        if (members.has(accountId) && (mayMoveBack || seq >= storedSeq)) {
          entries.set(accountId, toPosition(seq));
        }
      }
      return true;
    });
  }

  #toReaderKey(accountId: string): string {
    return this.#notices?.deriveAccountKey(accountId) ?? accountId;
  }
}

const toRemoteKey = (classId: string, readerKey: string) => `${classId} ${readerKey}`;

/** @param seq an empty text before the first visit */
function toPosition(seq: number | string): string {
  return String(seq).padStart(positionLength);
}

function parsePosition(position = ''): number | null {
  return position.trim() === '' ? null : Number(position);
}
