import type { Kysely } from 'kysely';

// `alignMailboxKeys` fills the column, because it needs the server key.
export async function up(db: Kysely<unknown>) {
  await db.schema.alterTable('accounts').addColumn('mailboxKey', 'text').execute();
  await db.schema
    .createIndex('accounts_mailbox')
    .on('accounts')
    .column('mailboxKey')
    .unique()
    .execute();
}
