import { sql, type Kysely } from 'kysely';

export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('facts').renameTo('serverMetadata').execute();
  await db.schema.alterTable('searchDue').renameTo('searchIndexQueue').execute();
  await db.schema.dropIndex('images_due').execute();
  await db.schema.alterTable('images').renameColumn('keptUntil', 'expiresAt').execute();
  await db.schema
    .alterTable('images')
    .addColumn('status', 'text', (c) => c.notNull().defaultTo('unsent'))
    .execute();
  // The old column was null for a sent picture and 0 for a deleted one.
  await sql`update images set status = 'sent' where "expiresAt" is null`.execute(db);
  await sql`update images set status = 'deleted', "expiresAt" = null
          where "expiresAt" = 0`.execute(db);
  await db.schema
    .createIndex('images_due')
    .on('images')
    .columns(['status', 'expiresAt'])
    .where(sql.ref('status'), '!=', sql.lit('sent'))
    .execute();
}
