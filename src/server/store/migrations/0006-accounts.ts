import { hash } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

export async function up(db: Kysely<Tables>) {
  await db.schema.alterTable('sessions').addColumn('device', 'text').execute();
  // Sessions stay valid: from now on the server looks up the hash of the browser's token.
  const sessions = await db.selectFrom('sessions').select(['id', 'token']).execute();
  for (const { id, token } of sessions) {
    const hashed = hash('sha256', token, 'base64url');
    await db.updateTable('sessions').set({ token: hashed }).where('id', '=', id).execute();
  }
  // Links in earlier mails would not match any more. They were valid for an hour.
  await db.deleteFrom('verifications').execute();
}
