// Queues a mail in the commit of the action that it is about, also from a command next to a running server, and lists the queued
// mails to an address.
import type { KeyObject } from 'node:crypto';
import { createRandomId } from '#server/base/random-id.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { listAllOutgoingMails, insertOutgoingMail } from './outgoing-mails-queries.ts';
import { sealMail, tryToOpenMail } from './mail-seal.ts';
import type { Mail } from './mail-transport.ts';

const dayMs = 24 * 60 * 60_000;

/** Inserts a mail, which a running server finds within seconds. */
export async function insertMail(
  db: DatabaseTransaction,
  key: KeyObject,
  mail: Mail,
  expiresAt = Date.now() + dayMs,
): Promise<void> {
  const id = createRandomId();
  const queuedMail = { ...mail, deliver: true, attempts: 0, expiresAt };
  await insertOutgoingMail(db, { id, dueAt: 0, content: sealMail(key, id, queuedMail) });
}

/**
 * Lists the mails to an address. It opens every mail in the queue, which can take a second, so a transaction must not wait for
 * it.
 */
export async function listMailsTo(
  db: Database,
  key: KeyObject,
  address: string,
): Promise<string[]> {
  const mailIds: string[] = [];
  for await (const row of listAllOutgoingMails(db)) {
    if (tryToOpenMail(key, row)?.to === address) mailIds.push(row.id);
  }
  return mailIds;
}
