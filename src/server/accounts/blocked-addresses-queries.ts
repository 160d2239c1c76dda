import type { Selectable } from 'kysely';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

export type BlockedAddressRow = Selectable<Tables['blockedAddresses']>;

/** @param mailboxes the mailbox under each name of its mail domain */
export async function isMailboxBlocked(
  db: Database,
  mailboxes: readonly string[],
): Promise<boolean> {
  const row = await db
    .selectFrom('blockedAddresses')
    .select('blockId')
    .where('mailbox', 'in', mailboxes)
    .executeTakeFirst();
  return row !== undefined;
}

export async function listBlocks(db: Database): Promise<BlockedAddressRow[]> {
  return db.selectFrom('blockedAddresses').selectAll().orderBy('blockId').execute();
}

export async function insertBlock(db: DatabaseTransaction, row: BlockedAddressRow): Promise<void> {
  await db.insertInto('blockedAddresses').values(row).execute();
}

/** @returns whether there was such a block */
export async function deleteBlocks(
  db: DatabaseTransaction,
  column: 'blockId' | 'mailbox',
  values: readonly string[],
): Promise<boolean> {
  const result = await db
    .deleteFrom('blockedAddresses')
    .where(column, 'in', values)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Deletes them at a change of the server key, because no one could tell any more which addresses they are of. */
export async function deleteAllBlocks(db: DatabaseTransaction): Promise<void> {
  await db.deleteFrom('blockedAddresses').execute();
}
