import { sql, type Kysely } from 'kysely';
import { randomId } from '../random-id.ts';
import type { Tables, DatabaseTransaction } from './database.ts';
import { writeMetadata } from './queries/facts.ts';
import { deleteAllOutgoingMails } from './queries/outgoing-mails.ts';

/** A random id of the database's history. If it changes, a browser cannot catch up from its replica. */
export function newEpoch(): string {
  return randomId();
}

/** For a restored database: what happens next differs from what browsers have already received. */
export async function resetEpoch(db: Kysely<Tables>): Promise<void> {
  await db.transaction().execute(writeNewHistory);
}

export async function writeNewHistory(db: DatabaseTransaction): Promise<void> {
  await writeMetadata(db, 'epoch', newEpoch());
  // Otherwise a link that was used after the backup would work a second time.
  await sql`delete from verifications`.execute(db);
  await deleteAllOutgoingMails(db);
}
