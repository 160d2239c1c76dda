import { createHmac, type KeyObject } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { seal } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import type { EngineTypes } from './engine-types.ts';

interface EarlierPosition {
  classId: string;
  memberId: string;
  readSeq: number;
}

interface EarlierMember {
  accountId: string;
  classId: string;
  salt: string;
}

const positionBytes = 16;

/** @param keys null if the key is lost: only the key tells whose persona has a position, so everything then counts as read */
export async function up(
  db: Kysely<unknown>,
  { unordered }: EngineTypes,
  keys: ServerKeys | null,
): Promise<void> {
  await db.schema
    .createTable('readMarks')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('reader', 'text', (c) => c.notNull())
    .addColumn('position', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('readMarks_key', ['classId', 'reader'])
    .modifyEnd(unordered)
    .execute();
  if (keys) await movePositions(db, keys);
  await db.schema.alterTable('personas').dropColumn('readSeq').execute();
}

/** The positions of version 0.1.0 belong to personas. */
async function movePositions(db: Kysely<unknown>, keys: ServerKeys): Promise<void> {
  const { rows: positions } = await sql<EarlierPosition>`
    select "classId", "memberId", "readSeq" from personas`.execute(db);
  const readSeqs = new Map(
    positions.map(({ classId, memberId, readSeq }) => [`${classId} ${memberId}`, readSeq]),
  );
  const { rows: members } = await sql<EarlierMember>`
    select "accountId", "classId", salt from enrolments join classes using ("classId")`.execute(db);
  for (const { accountId, classId, salt } of members) {
    const memberId = computeId(keys.personas, salt, accountId);
    const readSeq = readSeqs.get(`${classId} ${memberId}`);
    if (readSeq === undefined) continue;
    const reader = computeId(keys.readMarks.ids, salt, accountId);
    const position = seal(keys.readMarks.positions, String(readSeq), {
      context: `${classId} ${reader}`,
      padTo: positionBytes,
    });
    await sql`insert into "readMarks" values (${classId}, ${reader}, ${position})`.execute(db);
  }
}

/** Computes the id of an account in a class: of its persona, or of a row that no one can link to the account without the key. */
export function computeId(key: KeyObject, salt: string, accountId: string): string {
  const hmac = createHmac('sha256', key).update(`${salt}\u0000${accountId}`);
  return hmac.digest('base64url').slice(0, 16);
}
