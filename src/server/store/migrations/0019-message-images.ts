import { sql, type Kysely } from 'kysely';

// A message had at most one picture.
export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('messages').renameColumn('image', 'images').execute();
  await sql`update messages set images = '[' || images || ']'
          where images is not null`.execute(db);
}
