import type { Selectable } from 'kysely';
import { prepareQuery } from '#server/store/prepare-query.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type BlockedAddressRow = Selectable<Tables['blockedAddresses']>;

const selectBlock = prepareQuery((db, $: { mailbox: string }) =>
  db.selectFrom('blockedAddresses').select('blockId').where('mailbox', '=', $.mailbox),
);

export async function isMailboxBlocked(db: Database, mailbox: string): Promise<boolean> {
  return (await selectBlock(db, { mailbox })).length > 0;
}

export async function listBlocks(db: Database): Promise<BlockedAddressRow[]> {
  return db.selectFrom('blockedAddresses').selectAll().orderBy('blockId').execute();
}

export async function insertBlock(db: DatabaseTransaction, row: BlockedAddressRow): Promise<void> {
  await db.insertInto('blockedAddresses').values(row).execute();
}

/** @returns whether there was such a block */
export async function deleteBlock(
  db: DatabaseTransaction,
  key: Pick<BlockedAddressRow, 'blockId'> | Pick<BlockedAddressRow, 'mailbox'>,
): Promise<boolean> {
  const [column, value] =
    'blockId' in key ? (['blockId', key.blockId] as const) : (['mailbox', key.mailbox] as const);
  const result = await db
    .deleteFrom('blockedAddresses')
    .where(column, '=', value)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes them at a change of the server key, because no one could tell any more which addresses they are of. */
export async function deleteAllBlocks(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('blockedAddresses').execute();
}
