import { sql, type Kysely } from 'kysely';
import { randomId } from '../random-id.ts';
import type { Tables, DatabaseTransaction } from './database.ts';
import { writeMetadata } from './queries/facts.ts';
import { deleteAllOutgoingMails } from './queries/outgoing-mails.ts';

/** A random id of a database's history: another one means that what a browser holds is no start for catching up. */
export function newEpoch(): string {
  return randomId();
}

/** For a database that was put back as it had been: what came after is to happen anew, and otherwise. */
export async function beginNewHistory(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(writeNewHistory);
}

export async function writeNewHistory(db: DatabaseTransaction): Promise<void> {
  await writeMetadata(db, 'epoch', newEpoch());
  // A mailed link that was used since would work a second time.
  await sql`delete from verifications`.execute(db);
  await deleteAllOutgoingMails(db);
}
