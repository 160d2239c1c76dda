import type { Selectable } from 'kysely';
import type { Reader, Tables, Writer } from '../database.ts';

export type OutgoingMailRow = Selectable<Tables['outgoingMails']>;

export async function insertOutgoingMail(db: Writer, row: OutgoingMailRow): Promise<void> {
  await db.insertInto('outgoingMails').values(row).execute();
}

/** New ones before those that were tried. */
export async function listDueMails(
  db: Reader,
  now: number,
  limit: number,
): Promise<OutgoingMailRow[]> {
  return db
    .selectFrom('outgoingMails')
    .selectAll()
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(limit)
    .execute();
}

export async function listOutgoingMails(db: Reader): Promise<OutgoingMailRow[]> {
  return db.selectFrom('outgoingMails').selectAll().execute();
}

/** Skipped where the row was removed meanwhile. */
export async function updateOutgoingMail(
  db: Writer,
  { id, dueAt, content }: OutgoingMailRow,
): Promise<void> {
  await db.updateTable('outgoingMails').set({ dueAt, content }).where('id', '=', id).execute();
}

export async function deleteOutgoingMail(db: Writer, id: string): Promise<void> {
  await db.deleteFrom('outgoingMails').where('id', '=', id).execute();
}

export async function deleteAllOutgoingMails(db: Writer): Promise<void> {
  await db.deleteFrom('outgoingMails').execute();
}
