// Roles move from rows, which named accounts, into one register. The table of accounts, to which they refer, is replaced next.
import { sql, type Kysely } from 'kysely';
import { createRandomId } from '#server/base/random-id.ts';
import { sealRecord } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';

interface EarlierRole {
  accountId: string;
  classId: string;
  role: string;
  staffName: string;
}

/** Without the key, no one could open the register, so all roles end. */
export async function up(db: Kysely<unknown>, _types: unknown, keys: ServerKeys | null) {
  const { rows } = await sql<EarlierRole>`
    select "accountId", "classId", role, "staffName" from roles`.execute(db);
  if (keys && rows.length > 0) {
    const roles = Map.groupBy(rows, ({ accountId }) => accountId);
    const entries = [...roles].map(([accountId, ofAccount]) => [
      accountId,
      ofAccount.map(({ classId, role, staffName }) => ({
        classId: classId || null,
        role,
        staffName,
      })),
    ]);
    const content = sealRecord(keys.registers.staff, entries, {
      step: 4096,
      context: 'register staff ',
    });
    await sql`
      insert into registers ("classId", kind, version, content)
      values ('', 'staff', ${createRandomId()}, ${content})`.execute(db);
  }
  await db.schema.dropTable('roles').execute();
}
