import { sql, type Kysely } from 'kysely';
import { startOfDay, toDay } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { unseal } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { Registers, type RegisterValues } from '#server/store/registers.ts';
import type { EngineTypes } from './engine-types.ts';

type Membership = RegisterValues['members'];

interface EnrollmentRow {
  accountId: string;
  classId: string;
  content: string | null;
  joinedDay: number;
  notify: NonNullable<Membership['notify']> | null;
}

const rowsPerRead = 2000;

/** @param keys null if the key is lost: the classes are then empty, as after any loss of the key */
export async function up(
  db: Kysely<unknown>,
  { binary, unordered }: EngineTypes,
  keys: ServerKeys | null,
): Promise<void> {
  await db.schema
    .createTable('registers')
    .addColumn('classId', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('content', binary, (c) => c.notNull())
    .addPrimaryKeyConstraint('registers_key', ['classId', 'kind'])
    .modifyEnd(unordered)
    .execute();
  if (keys) await moveEnrollments(db, keys);
  await db.schema.dropTable('enrollments').execute();
}

async function moveEnrollments(db: Kysely<unknown>, keys: ServerKeys): Promise<void> {
  const classes = new Map<string, Map<string, Membership>>();
  for await (const row of listEnrollments(db)) {
    const members = classes.get(row.classId) ?? new Map<string, Membership>();
    classes.set(row.classId, members.set(row.accountId, decryptMembership(keys, row)));
  }
  if (classes.size === 0) return;
  const registers = new Registers(keys.registers);
  for (const [classId, members] of [...classes].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const content = registers.seal('members', classId, members);
    await sql`insert into registers values (${classId}, 'members', ${createRandomId()}, ${content})`.execute(
      db,
    );
  }
}

async function* listEnrollments(db: Kysely<unknown>): AsyncGenerator<EnrollmentRow> {
  for (let last: Pick<EnrollmentRow, 'accountId' | 'classId'> = { accountId: '', classId: '' }; ;) {
    const { rows } = await sql<EnrollmentRow>`
      select * from enrollments where ("accountId", "classId") > (${last.accountId}, ${last.classId})
      order by "accountId", "classId" limit ${rowsPerRead}`.execute(db);
    yield* rows;
    const lastRow = rows.at(-1);
    if (!lastRow) return;
    last = lastRow;
  }
}

/** If the content cannot be decrypted, the day of joining becomes the day of the migration. */
function decryptMembership(
  keys: ServerKeys,
  { accountId, classId, content, joinedDay, notify }: EnrollmentRow,
): Membership {
  if (content === null) return { joinedDay, ...(notify && { notify }) };
  try {
    const text = unseal(keys.times, content, `enrolment ${accountId} ${classId}`);
    const opened = JSON.parse(text) as { createdAt: number; notify?: Membership['notify'] };
    return {
      joinedDay: toDay(new Date(opened.createdAt)),
      ...(opened.notify && { notify: opened.notify }),
    };
  } catch {
    return { joinedDay: toDay(startOfDay()) };
  }
}
