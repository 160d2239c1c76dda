import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type AnnouncementRow = Selectable<Tables['announcements']>;

/** Newest first. */
export async function listInForce(db: Database, now: number): Promise<AnnouncementRow[]> {
  return db
    .selectFrom('announcements')
    .selectAll()
    .where('status', '!=', 'withdrawn')
    .where('endsAt', '>', now)
    .orderBy('number', 'desc')
    .execute();
}

/** Lists announcements in force first, then the newest. A class keeps its fields until it is erased. */
export async function listAnnouncementRows(db: Database, now: number, limit: number) {
  return db
    .selectFrom('announcements')
    .leftJoin('classes', 'classes.classId', 'announcements.classId')
    .selectAll('announcements')
    .select(['subjectAbbreviation', 'courseNumber', 'courseName', 'name'])
    .orderBy(
      ({ eb, and }) =>
        eb
          .case()
          .when(and([eb('announcements.status', '!=', 'withdrawn'), eb('endsAt', '>', now)]))
          .then(0)
          .else(1)
          .end(),
      'asc',
    )
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
}

export async function findAnnouncement(
  db: Database,
  announcementId: string,
): Promise<AnnouncementRow | undefined> {
  return db
    .selectFrom('announcements')
    .selectAll()
    .where('announcementId', '=', announcementId)
    .executeTakeFirst();
}

export async function getLastAnnouncementNumber(db: Database): Promise<number> {
  const row = await db
    .selectFrom('announcements')
    .select(({ fn }) => fn.max('number').as('number'))
    .executeTakeFirst();
  return row?.number ?? 0;
}

export async function insertAnnouncement(
  db: DatabaseTransaction,
  row: AnnouncementRow,
): Promise<void> {
  await db.insertInto('announcements').values(row).execute();
}

export async function markWithdrawn(
  db: DatabaseTransaction,
  announcementId: string,
  endsAt: number,
): Promise<void> {
  await db
    .updateTable('announcements')
    .set({ status: 'withdrawn', endsAt })
    .where('announcementId', '=', announcementId)
    .execute();
}

export async function hasEndedBefore(db: Database, time: number): Promise<boolean> {
  const row = await db
    .selectFrom('announcements')
    .select('announcementId')
    .where('endsAt', '<', time)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteEndedBefore(db: DatabaseTransaction, time: number): Promise<void> {
  await db.deleteFrom('announcements').where('endsAt', '<', time).execute();
}
