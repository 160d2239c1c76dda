import type { Selectable } from 'kysely';
import type { Database, Tables, DatabaseTransaction } from '#server/store/tables.ts';

export type OutgoingMailRow = Selectable<Tables['outgoingMails']>;

export async function insertOutgoingMail(
  db: DatabaseTransaction,
  row: OutgoingMailRow,
): Promise<void> {
  await db.insertInto('outgoingMails').values(row).execute();
}

/**
 * The `dueAt` of digests. New mails have the number of their turn, which is smaller, and retries have their times, which are
 * larger.
 */
export const digestDueAt = 1_000_000;

/**
 * The ids of due mails: new ones by their turns before retries, and of equal ones those after `lastId` first. Ids are random, so
 * always the smallest ones first would let a mail wait for all later ones.
 */
export async function listDueMails(
  db: Database,
  now: number,
  limit: number,
  lastId: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('outgoingMails')
    .select('id')
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .orderBy(({ eb }) => eb.case().when('id', '>', lastId).then(0).else(1).end())
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

export async function findOutgoingMail(db: Database, id: string): Promise<OutgoingMailRow | null> {
  const row = await db
    .selectFrom('outgoingMails')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** The first turn of new mails; null if none wait. */
export async function findFirstTurn(db: Database): Promise<number | null> {
  const { turn } = await db
    .selectFrom('outgoingMails')
    .select(({ fn }) => fn.min<number | string | null>('dueAt').as('turn'))
    .where('dueAt', '<', digestDueAt)
    .executeTakeFirstOrThrow();
  return turn === null ? null : Number(turn);
}

/** Deletes a mail of the last turn, if that turn is after `turn`. @returns whether there was such a mail */
export async function deleteMailOfLastTurn(
  db: DatabaseTransaction,
  turn: number,
): Promise<boolean> {
  const lastMail = await db
    .selectFrom('outgoingMails')
    .select('id')
    .where('dueAt', '>', turn)
    .where('dueAt', '<', digestDueAt)
    .orderBy('dueAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  return lastMail !== undefined && deleteOutgoingMail(db, lastMail.id);
}

/** Counts the mails, up to the limit. */
export async function countOutgoingMails(db: Database, limit: number): Promise<number> {
  const { waiting } = await db
    .selectFrom(db.selectFrom('outgoingMails').select('id').limit(limit).as('some'))
    .select(({ fn }) => fn.countAll<number | string>().as('waiting'))
    .executeTakeFirstOrThrow();
  return Number(waiting);
}

const rowsPerRead = 100;

export async function* listAllOutgoingMails(db: Database): AsyncGenerator<OutgoingMailRow> {
  for (let afterId = ''; ;) {
    const rows = await db
      .selectFrom('outgoingMails')
      .selectAll()
      .where('id', '>', afterId)
      .orderBy('id')
      .limit(rowsPerRead)
      .execute();
    yield* rows;
    const last = rows.at(-1);
    if (!last) return;
    afterId = last.id;
  }
}

/** Updates the row, unless it was removed in the meantime. */
export async function updateOutgoingMail(
  db: DatabaseTransaction,
  { id, dueAt, content }: OutgoingMailRow,
): Promise<void> {
  await db.updateTable('outgoingMails').set({ dueAt, content }).where('id', '=', id).execute();
}

const idsPerUpdate = 500;

/** Sets the `dueAt` of the mails that are still there. */
export async function setDueAt(
  db: DatabaseTransaction,
  ids: readonly string[],
  dueAt: number,
): Promise<void> {
  for (let start = 0; start < ids.length; start += idsPerUpdate) {
    const someIds = ids.slice(start, start + idsPerUpdate);
    await db.updateTable('outgoingMails').set({ dueAt }).where('id', 'in', someIds).execute();
  }
}

/** @returns whether the mail was still there */
export async function deleteOutgoingMail(db: DatabaseTransaction, id: string): Promise<boolean> {
  const result = await db.deleteFrom('outgoingMails').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function deleteOutgoingMails(
  db: DatabaseTransaction,
  ids: readonly string[],
): Promise<void> {
  if (ids.length > 0) await db.deleteFrom('outgoingMails').where('id', 'in', ids).execute();
}
