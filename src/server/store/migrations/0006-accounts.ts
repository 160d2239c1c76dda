import { hash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('sessions').addColumn('device', 'text').execute();
  // Sessions stay valid: from now on the server looks up the hash of the browser's token.
  const { rows } = await sql<{ id: string; token: string }>`
    select id, token from sessions`.execute(db);
  for (const { id, token } of rows) {
    const hashed = hash('sha256', token, 'base64url');
    await sql`update sessions set token = ${hashed} where id = ${id}`.execute(db);
  }
  // Links in earlier mails would not match any more. They were valid for an hour.
  await sql`delete from verifications`.execute(db);
}
