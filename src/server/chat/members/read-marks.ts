// Remembers how far each member has read each class. A mark names neither the account nor the persona: its id is
// derived from the server key, and its position is encrypted (decision 33). Marks are kept in memory and written later.
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
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
   * Returns the seq up to which the reader has read. On the first visit, everything up to `head` counts as read.
   */
  open(reader: Reader, head: number): Promise<number>;
  /** Saves the position. Only with `replacesAny` it replaces one that is further on, which another node has saved. */
  save(reader: Reader, seq: number, back?: boolean): void;
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
  /** Tells the other nodes, which see the row only when it is written. */
  onChanged?(reader: Reader, seq: number | null): void;
  /** Calls the listener for what other nodes tell. */
  listen?(listener: (reader: Reader, seq: number | null) => void): void;
}

/** Longer than a node waits before it writes a position. */
const remoteMarkMs = 120_000;
const maxRemoteMarks = 50_000;
/** Encrypted positions have the same length. */
const paddedBytes = 16;
/** The position of an account that left. The row goes later, on a random day (decision 33). */
const noPosition = 'none';

/** A position that is not yet written; null erases the mark. */
interface Pending {
  reader: Reader;
  seq: number | null;
  /** Whether it replaces any position. */
  replacesAny: boolean;
}

export function createReadMarks(dependencies: ReadMarkDependencies): ReadMarks {
  const { db, commits, keys, onChanged, listen } = dependencies;
  const hasNodes = listen !== undefined;
  const delayed = createDelayedWrites<Pending>({
    commits,
    async write(unitOfWork, marks) {
      for (const mark of marks) await write(unitOfWork, mark);
    },
  });
  /** What other nodes have not written yet. */
  const remoteMarks = new LRUCache<string, { seq: number | null }>({
    max: maxRemoteMarks,
    ttl: remoteMarkMs,
  });
  listen?.((reader, seq) => {
    const key = toKey(reader);
    remoteMarks.set(key, { seq });
    // The other node has the newer one: this one must not overwrite it later.
    if (delayed.get(key)) delayed.set(key, { reader, seq, replacesAny: true });
  });

  function add(mark: Pending): void {
    const key = toKey(mark.reader);
    const replacesAny = mark.replacesAny || delayed.get(key)?.replacesAny === true;
    remoteMarks.delete(key);
    delayed.set(key, { ...mark, replacesAny });
    onChanged?.(mark.reader, mark.seq);
  }

  async function write(
    unitOfWork: UnitOfWork,
    { reader, seq, replacesAny }: Pending,
  ): Promise<void> {
    if (seq === null) return eraseReadMark(unitOfWork, keys.positions, reader);
    // Redis may have lost the notice of the other node.
    const mayBeOlder = hasNodes && !replacesAny;
    if (mayBeOlder && ((await findStored(unitOfWork.db, reader)) ?? 0) > seq) return;
    const position = sealPosition(keys.positions, reader, String(seq));
    await saveReadMark(unitOfWork.db, { classId: reader.classId, reader: reader.id, position });
  }

  const deriveReader: ReadMarks['deriveReader'] = (classId, classSalt, accountId) => {
    return { classId, id: deriveId(keys.ids, classSalt, accountId, classId).id };
  };

  async function find(reader: Reader): Promise<number | null> {
    const mark = delayed.get(toKey(reader)) ?? remoteMarks.get(toKey(reader));
    if (mark) return mark.seq;
    return findStored(db, reader);
  }

  async function findStored(from: Database, reader: Reader): Promise<number | null> {
    const sealed = await findReadMark(from, reader.classId, reader.id);
    if (sealed === null) return null;
    const position = unseal(keys.positions, sealed, toKey(reader)).trim();
    return position === noPosition ? null : Number(position);
  }

  return {
    deriveReader,
    find,
    async open(reader, head) {
      const mark = await find(reader);
      if (mark === null) add({ reader, seq: head, replacesAny: false });
      return mark ?? head;
    },
    save: (reader, seq, replacesAny = false) => add({ reader, seq, replacesAny }),
    delete: (reader) => add({ reader, seq: null, replacesAny: false }),
    stop: delayed.stop,
  };
}

const toKey = ({ classId, id }: Reader) => `${classId} ${id}`;

function sealPosition(key: KeyObject, reader: Reader, position: string): string {
  return seal(key, position, { context: toKey(reader), padTo: paddedBytes });
}

/** Erases the position of an account that left, unless that has been done. A deleted row would tell the day. */
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

/** Whether it is the sealed position of an account that left. */
export function isErasedReadMark(key: KeyObject, reader: Reader, sealed: string): boolean {
  return unseal(key, sealed, toKey(reader)).trim() === noPosition;
}
