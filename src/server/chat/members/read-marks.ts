// Remembers how far each member has read each class. A mark names neither the account nor the persona: its id is
// derived from the server key, and its position is encrypted (decision 33). Marks are kept in memory and written later.
import type { KeyObject } from 'node:crypto';
import { createRecentMap } from '#server/base/recent-map.ts';
import { deriveId } from './member-ids.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { findReadMark, saveReadMark } from './read-marks-queries.ts';
import { createDelayedWrites } from './delayed-writes.ts';

/** An account in a class, under an id that only the server key can link to the account. */
export interface Reader {
  classId: string;
  id: string;
}

export interface ReadMarks {
  deriveReader(classId: string, classSalt: string, accountId: string): Reader;
  /** Returns the seq up to which the reader has read; null before the first visit. */
  find(reader: Reader): Promise<number | null>;
  /**
   * Returns the seq up to which the reader has read. On the first visit, all messages up to `head` count as read.
   */
  open(reader: Reader, head: number): Promise<number>;
  /** Saves the position. It replaces a later position of another node only if `mayMoveBack` is true. */
  save(reader: Reader, seq: number, mayMoveBack?: boolean): void;
  /** Erases the mark of an account that left the class. */
  delete(reader: Reader): void;
  /** Writes the remaining marks. */
  stop(): Promise<void>;
}

export interface ReadMarkDependencies {
  db: Database;
  /** The queue of accounts: a mark must not share a transaction with messages and personas. */
  commits: CommitQueue;
  keys: { ids: KeyObject; positions: KeyObject };
  /** Notifies the other nodes, which see the row only when it is written. */
  onChanged?(mark: ReadMark): void;
  /** Calls the listener for each mark that another node has changed. */
  listen?(listener: (mark: ReadMark) => void): void;
}

/** A longer time than a node waits before it writes a position. */
const remoteMarkMs = 120_000;
const maxRemoteMarks = 50_000;
/** Encrypted positions have the same length. */
const paddedBytes = 16;
/** The position of an account that left. The row is deleted later, on a random day (decision 33). */
const noPosition = 'none';

/** A new position of a reader; null erases the mark. */
export interface ReadMark {
  reader: Reader;
  seq: number | null;
  /** Whether the mark replaces any position, also a later one, because the member marked messages as unread. */
  mayMoveBack: boolean;
}

export function createReadMarks(dependencies: ReadMarkDependencies): ReadMarks {
  const { db, commits, keys, onChanged, listen } = dependencies;
  const hasNodes = listen !== undefined;
  const delayedWrites = createDelayedWrites<ReadMark>({
    commits,
    async write(unitOfWork, marks) {
      for (const mark of marks) await write(unitOfWork, mark);
    },
  });
  /** The marks that other nodes have not written yet. */
  const remoteMarks = createRecentMap<ReadMark>(maxRemoteMarks, remoteMarkMs);
  listen?.((mark) => {
    const key = toKey(mark.reader);
    const pending = delayedWrites.get(key);
    // The notices of two nodes may have crossed each other, so a later position stays.
    if (isBehind(mark, pending ?? remoteMarks.get(key))) return;
    remoteMarks.set(key, mark);
    // A pending mark must not overwrite this one later.
    if (pending) delayedWrites.set(key, { ...mark, mayMoveBack: true });
  });

  function add(mark: ReadMark): void {
    const key = toKey(mark.reader);
    const mayMoveBack = mark.mayMoveBack || delayedWrites.get(key)?.mayMoveBack === true;
    remoteMarks.delete(key);
    delayedWrites.set(key, { ...mark, mayMoveBack });
    onChanged?.(mark);
  }

  async function write(
    unitOfWork: UnitOfWork,
    { reader, seq, mayMoveBack }: ReadMark,
  ): Promise<void> {
    if (seq === null) return eraseReadMark(unitOfWork, keys.positions, reader);
    // The row may be newer, because Redis may have lost the notice of the other node.
    const mayBeOlder = hasNodes && !mayMoveBack;
    if (mayBeOlder && ((await findStored(unitOfWork.db, reader)) ?? 0) > seq) return;
    const position = sealPosition(keys.positions, reader, String(seq));
    await saveReadMark(unitOfWork.db, { classId: reader.classId, reader: reader.id, position });
  }

  const deriveReader: ReadMarks['deriveReader'] = (classId, classSalt, accountId) => {
    return { classId, id: deriveId(keys.ids, classSalt, accountId, classId).id };
  };

  async function find(reader: Reader): Promise<number | null> {
    const mark = delayedWrites.get(toKey(reader)) ?? remoteMarks.get(toKey(reader));
    if (mark) return mark.seq;
    return findStored(db, reader);
  }

  async function findStored(database: Database, reader: Reader): Promise<number | null> {
    const sealed = await findReadMark(database, reader.classId, reader.id);
    if (sealed === null) return null;
    const position = unseal(keys.positions, sealed, toKey(reader)).trim();
    return position === noPosition ? null : Number(position);
  }

  return {
    deriveReader,
    find,
    async open(reader, head) {
      const mark = await find(reader);
      if (mark === null) add({ reader, seq: head, mayMoveBack: false });
      return mark ?? head;
    },
    save: (reader, seq, mayMoveBack = false) => add({ reader, seq, mayMoveBack }),
    delete: (reader) => add({ reader, seq: null, mayMoveBack: false }),
    stop: delayedWrites.stop,
  };
}

/** Whether the position is before the current one, and the member did not move it back. */
function isBehind({ seq, mayMoveBack }: ReadMark, currentMark: ReadMark | undefined): boolean {
  return !mayMoveBack && seq !== null && seq <= (currentMark?.seq ?? -1);
}

const toKey = ({ classId, id }: Reader) => `${classId} ${id}`;

function sealPosition(key: KeyObject, reader: Reader, position: string): string {
  return seal(key, position, { context: toKey(reader), padTo: paddedBytes });
}

/**
 * Erases the position of an account that left, unless it is erased already. The row stays, because a deletion now would tell the
 * day.
 */
export async function eraseReadMark(
  { db, contentErased }: UnitOfWork,
  key: KeyObject,
  reader: Reader,
): Promise<void> {
  const { classId, id } = reader;
  const sealed = await findReadMark(db, classId, id);
  if (sealed === null || isErasedReadMark(key, reader, sealed)) return;
  const position = sealPosition(key, reader, noPosition);
  await saveReadMark(db, { classId, reader: id, position });
  contentErased();
}

/** Tells whether the position was erased when its account left. */
export function isErasedReadMark(key: KeyObject, reader: Reader, sealed: string): boolean {
  return unseal(key, sealed, toKey(reader)).trim() === noPosition;
}
