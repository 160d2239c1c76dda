import type { Selectable } from 'kysely';
import type { Emoji } from '#contract/emojis.ts';
import type { Message } from '#contract/entities.ts';
import type { Database, Tables, DatabaseTransaction } from '../database.ts';
import { prepared } from '../prepared.ts';
import { readSentImage, toPicture } from './images.ts';
import { listReactions } from './reactions.ts';

export type MessageRow = Selectable<Tables['messages']>;

const selectMessage = prepared((db, $: { classId: string; id: string }) =>
  db.selectFrom('messages').selectAll().where('classId', '=', $.classId).where('id', '=', $.id),
);

/** The row, even if the message was deleted. */
export async function findMessage(
  db: Database,
  classId: string,
  id: string,
): Promise<MessageRow | null> {
  return (await selectMessage(db, { classId, id }))[0] ?? null;
}

const insertRow = prepared((db, $: MessageRow) =>
  db.insertInto('messages').values({
    classId: $.classId,
    seq: $.seq,
    ordinal: $.ordinal,
    id: $.id,
    memberId: $.memberId,
    text: $.text,
    image: $.image,
    digest: $.digest,
    createdAt: $.createdAt,
    editedAt: $.editedAt,
    replyTo: $.replyTo,
    deleted: $.deleted,
  }),
);

export async function insertMessage(db: DatabaseTransaction, row: MessageRow): Promise<void> {
  await insertRow(db, row);
}

export async function updateText(
  db: DatabaseTransaction,
  { classId, seq }: MessageRow,
  text: string,
  editedAt: number,
): Promise<void> {
  await db
    .updateTable('messages')
    .set({ text, editedAt, digest: '' })
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}

/** Clears the content. The row keeps its seq, its id and its author. */
export async function emptyMessage(
  db: DatabaseTransaction,
  { classId, seq }: MessageRow,
): Promise<void> {
  await db
    .updateTable('messages')
    .set({ text: '', image: null, digest: '', deleted: 1, editedAt: null, replyTo: null })
    .where('classId', '=', classId)
    .where('seq', '=', seq)
    .execute();
}

/** The columns that a room shows. */
const shown = [
  'seq',
  'id',
  'memberId',
  'text',
  'image',
  'createdAt',
  'editedAt',
  'replyTo',
] as const;
type ShownRow = Pick<MessageRow, (typeof shown)[number]>;

const selectBefore = prepared((db, $: { classId: string; before: number; limit: number }) =>
  db
    .selectFrom('messages')
    .select(shown)
    .where('classId', '=', $.classId)
    .where('seq', '<', $.before)
    .where('deleted', '=', 0)
    .orderBy('seq', 'desc')
    .limit($.limit),
);

/** The newest `limit` messages with `seq < before`, oldest first. */
export async function listMessages(
  db: Database,
  classId: string,
  before: number,
  limit: number,
): Promise<Message[]> {
  const rows = await selectBefore(db, { classId, before, limit });
  return withReactions(db, classId, rows.toReversed());
}

/** The messages with these ids, without missing and deleted ones. */
export async function listMessagesById(
  db: Database,
  classId: string,
  ids: readonly string[],
): Promise<Message[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .selectFrom('messages')
    .select(shown)
    .where('classId', '=', classId)
    .where('id', 'in', [...new Set(ids)])
    .where('deleted', '=', 0)
    .execute();
  const messages: Message[] = [];
  for (const row of rows) messages.push(...(await withReactions(db, classId, [row])));
  return messages;
}

/** @param rows consecutive, in ascending order of seq */
async function withReactions(
  db: Database,
  classId: string,
  rows: readonly ShownRow[],
): Promise<Message[]> {
  const first = rows[0];
  const last = rows.at(-1);
  if (!first || !last) return [];
  const reactions = await listReactions(db, classId, first.seq, last.seq);
  return rows.map((row) => toMessage(row, reactions.get(row.seq)));
}

export function toMessage(row: ShownRow, reactions: Record<string, Emoji> = {}): Message {
  return {
    id: row.id,
    seq: row.seq,
    memberId: row.memberId,
    text: row.text,
    ...toPicture(readSentImage(row.image)),
    createdAt: row.createdAt,
    editedAt: row.editedAt,
    replyTo: row.replyTo,
    reactions,
  };
}
