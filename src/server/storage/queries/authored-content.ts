// What one member wrote, found without an index by author, which every message would pay for: in small
// steps, between which others go on.
import { setImmediate } from 'node:timers/promises';
import type { Selectable } from 'kysely';
import type { Emoji } from '#contract/emojis.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';
import type { MessageRow } from './messages.ts';

export type ClassRow = Selectable<Tables['classes']>;

const classesPerBatch = 100;
/** How much of a log is looked through at once: a millisecond or two. */
const spanLength = 2000;

/** Deleted ones too, by id. */
export async function* everyClass(db: Database): AsyncGenerator<ClassRow> {
  for (let after = ''; ;) {
    const rows = await db
      .selectFrom('classes')
      .selectAll()
      .where('classId', '>', after)
      .orderBy('classId')
      .limit(classesPerBatch)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    after = last.classId;
    await setImmediate();
  }
}

/** How far the class's log has come, whether the class is deleted or not. */
export async function readHeadOf(db: Database, classId: string): Promise<number> {
  const row = await db
    .selectFrom('classes')
    .select('seq')
    .where('classId', '=', classId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}

/** The whole of a log in spans of `from < seq <= to`. */
export async function* spansOf(head: number): AsyncGenerator<{ from: number; to: number }> {
  for (let from = 0; from < head; from += spanLength) {
    yield { from, to: Math.min(from + spanLength, head) };
    await setImmediate();
  }
}

/** Between two pieces is a turn of the event loop: else no one else's write would come in. */
export async function* inPieces<Item>(
  items: readonly Item[],
  size: number,
): AsyncGenerator<Item[]> {
  for (let done = 0; done < items.length; done += size) {
    yield items.slice(done, done + size);
    await setImmediate();
  }
}

/** The member's messages with `from < seq <= to` that were not deleted. */
export async function listMessagesOf(
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

/** A reaction, by the message that it is to. */
export interface OwnReaction {
  classId: string;
  seq: number;
  id: string;
  emoji: Emoji;
}

/** The member's reactions to messages with `from < seq <= to`. */
export async function listReactionsOf(
  db: Database,
  classId: string,
  memberId: string,
  from: number,
  to: number,
): Promise<OwnReaction[]> {
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
