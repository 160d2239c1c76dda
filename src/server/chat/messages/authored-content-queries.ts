// Finds the messages and reactions of one member. An index by author would slow down every message, so these functions
// scan in small steps and yield to the event loop between them.
import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Emoji } from '#contract/emojis.ts';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';
import type { MessageRow } from './messages-queries.ts';

export type ClassRow = Selectable<Tables['classes']>;

const classesPerBatch = 100;
/** The number of seqs that one query scans. For long messages of one author, it takes 20 ms. */
const spanLength = 500;

/** All classes by id, deleted ones included. */
export async function* listAllClasses(db: Database): AsyncGenerator<ClassRow> {
  for (let lastClassId = ''; ;) {
    const rows = await db
      .selectFrom('classes')
      .selectAll()
      .where('classId', '>', lastClassId)
      .orderBy('classId')
      .limit(classesPerBatch)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    lastClassId = last.classId;
    await setImmediate();
  }
}

/** The seq of the last log entry, even if the class is deleted. */
export async function findHead(db: Database, classId: string): Promise<number> {
  const row = await db
    .selectFrom('classes')
    .select('seq')
    .where('classId', '=', classId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** Splits a log into spans of `from < seq <= to`. */
export async function* listSpans(head: number): AsyncGenerator<{ from: number; to: number }> {
  for (let from = 0; from < head; from += spanLength) {
    yield { from, to: Math.min(from + spanLength, head) };
    await setImmediate();
  }
}

/** Splits a list, and yields to the event loop between two chunks, so that other writes can run. */
export async function* splitIntoChunks<Item>(
  items: readonly Item[],
  size: number,
): AsyncGenerator<Item[]> {
  for (let start = 0; start < items.length; start += size) {
    yield items.slice(start, start + size);
    await setImmediate();
  }
}

/** The member's messages with `from < seq <= to`, without deleted ones. */
export async function listAuthoredMessages(
  db: Database,
  classId: string,
  memberId: string,
  from: number,
  to: number,
): Promise<MessageRow[]> {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('classId', '=', classId)
    .where('seq', '>', from)
    .where('seq', '<=', to)
    .where('memberId', '=', memberId)
    .where('deleted', '=', 0)
    .orderBy('seq')
    .execute();
}

/** A reaction with the id of its message. */
export interface AuthoredReaction {
  classId: string;
  seq: number;
  id: string;
  emoji: Emoji;
}

/** The member's reactions to messages with `from < seq <= to`. */
export async function listAuthoredReactions(
  db: Database,
  classId: string,
  memberId: string,
  from: number,
  to: number,
): Promise<AuthoredReaction[]> {
  return db
    .selectFrom('reactions')
    .innerJoin('messages', (join) =>
      join
        .onRef('messages.classId', '=', 'reactions.classId')
        .onRef('messages.seq', '=', 'reactions.seq'),
    )
    .select(['messages.classId', 'messages.seq', 'messages.id', 'reactions.emoji'])
    .where('reactions.classId', '=', classId)
    .where('reactions.seq', '>', from)
    .where('reactions.seq', '<=', to)
    .where('reactions.memberId', '=', memberId)
    .orderBy('reactions.seq')
    .execute();
}

export async function deletePersona(
  db: DatabaseTransaction,
  classId: string,
  memberId: string,
): Promise<void> {
  await db
    .deleteFrom('personas')
    .where('classId', '=', classId)
    .where('memberId', '=', memberId)
    .execute();
}
