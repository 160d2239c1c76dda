// Every place that holds a memberId, for the one change that gives all members another one.
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../database.ts';

/** The memberIds of a class, also of members who left nothing but a log entry. */
export async function listMemberIds(db: Database, classId: string): Promise<Set<string>> {
  const { rows } = await sql<{ memberId: string }>`
    select "memberId" from personas where "classId" = ${classId}
    union select "memberId" from messages where "classId" = ${classId}
    union select "memberId" from reactions where "classId" = ${classId}
    union select "memberId" from images where "classId" = ${classId}
    union select "memberId" from log where "classId" = ${classId} and "memberId" is not null
    union select ref from log where "classId" = ${classId} and kind = 'persona'
  `.execute(db);
  return new Set(rows.map(({ memberId }) => memberId));
}

export interface MemberIdChange {
  before: string;
  after: string;
}

/** SQLite takes a limited number of values in one statement. */
const maxPerStatement = 500;

/**
 * In the order of the new ids: the database's files keep the order of writes, and that of the
 * accounts would pair each account with its new id.
 */
export async function changeMemberIds(
  db: DatabaseTransaction,
  classId: string,
  changes: readonly MemberIdChange[],
): Promise<void> {
  const sorted = changes.toSorted((one, other) => (one.after < other.after ? -1 : 1));
  for (let at = 0; at < sorted.length; at += maxPerStatement) {
    await changeSome(db, classId, sorted.slice(at, at + maxPerStatement));
  }
}

async function changeSome(
  db: DatabaseTransaction,
  classId: string,
  changes: readonly MemberIdChange[],
): Promise<void> {
  const pairs = changes.map(
    ({ before, after }) => sql`(cast(${before} as text), cast(${after} as text))`,
  );
  const ids = sql`with ids("oldId", "newId") as (values ${sql.join(pairs)})`;
  const after = sql`(select "newId" from ids where "oldId" = "memberId")`;
  const ofClass = sql`"classId" = ${classId}`;
  const listed = sql`${ofClass} and "memberId" in (select "oldId" from ids)`;
  // An icon begins with the memberId of its owner.
  await sql`${ids} update personas
    set icon = replace(icon, "memberId", ${after}), "memberId" = ${after} where ${listed}`.execute(
    db,
  );
  await sql`${ids} update messages set "memberId" = ${after} where ${listed}`.execute(db);
  await sql`${ids} update reactions set "memberId" = ${after} where ${listed}`.execute(db);
  await sql`${ids} update log set "memberId" = ${after} where ${listed}`.execute(db);
  await sql`${ids} update log set ref = (select "newId" from ids where "oldId" = ref)
    where ${ofClass} and kind = 'persona' and ref in (select "oldId" from ids)`.execute(db);
  // A digest of a picture is made with its member's id before.
  await sql`${ids} update images set "memberId" = ${after}, digest = '' where ${listed}`.execute(
    db,
  );
}

/** A digest of a message with a picture is made with the member's id before. */
export async function forgetClassDigests(db: DatabaseTransaction, classId: string): Promise<void> {
  await db.updateTable('messages').set({ digest: '' }).where('classId', '=', classId).execute();
}
