import type { Selectable } from 'kysely';
import type { Message } from '#contract/entities.ts';
import type { Reader, Tables, Writer } from '../database.ts';

type MessageRow = Selectable<Tables['messages']>;

export async function findMessage(
  db: Reader,
  classId: string,
  id: string,
): Promise<MessageRow | null> {
  const row = await db
    .selectFrom('messages')
    .selectAll()
    .where('classId', '=', classId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

export async function insertMessage(db: Writer, row: MessageRow): Promise<void> {
  await db.insertInto('messages').values(row).execute();
}

/** The newest `limit` messages with `seq < before`, oldest first. */
export async function listMessages(
  db: Reader,
  classId: string,
  before: number,
  limit: number,
): Promise<Message[]> {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('classId', '=', classId)
    .where('seq', '<', before)
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
  return rows.toReversed().map(toMessage);
}

export async function listMessagesBetween(
  db: Reader,
  classId: string,
  from: number,
  to: number,
): Promise<Message[]> {
  const rows = await db
    .selectFrom('messages')
    .selectAll()
    .where('classId', '=', classId)
    .where('seq', '>=', from)
    .where('seq', '<=', to)
    .orderBy('seq')
    .execute();
  return rows.map(toMessage);
}

export function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    seq: row.seq,
    memberId: row.memberId,
    text: row.text,
    createdAt: row.createdAt,
  };
}
