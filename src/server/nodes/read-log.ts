// How the feed reads the log: heads of many classes together, and what follows a seq.
import { replay, type Replay } from '#server/chat/messages/catch-up.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass, listHeads } from '#server/chat/classes/classes-queries.ts';

/** Each entry may hold a message of 12 KB, so this limits a read's memory. */
const entriesPerRead = 64;

export function createLogReader(db: Database) {
  return {
    listHeads: (classIds: readonly string[]) => listHeads(db, classIds),
    /** If the next entries are compacted, returns only the last one: browsers ask again when they see the gap. */
    async findEntriesAfter(classId: string, seq: number): Promise<Replay | null> {
      const foundClass = await findClass(db, classId);
      if (!foundClass || foundClass.seq <= seq) return null;
      const upTo = Math.min(foundClass.seq, seq + entriesPerRead);
      const nextEntries = await replay(db, classId, { seq, id: null }, upTo);
      return (
        nextEntries ?? replay(db, classId, { seq: foundClass.seq - 1, id: null }, foundClass.seq)
      );
    },
  };
}
