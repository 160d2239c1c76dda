// The mails that wait in the queue: how they leave before their next attempt, and what an operator sees of them.
import type { KeyObject } from 'node:crypto';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { tryToOpenMail } from './mail-seal.ts';
import { digestDueAt, listAllOutgoingMails, setDueAt } from './outgoing-mails-queries.ts';

/** Contains no address and no text. */
export interface WaitingMail {
  id: string;
  attempts: number;
  /** The time of the next attempt; null if the mail is due. */
  nextAttemptAt: number | null;
  isUrgent: boolean;
  isDelayedByOutage: boolean;
}

/** Opens every mail in the queue, which can take a second, so a transaction must not wait for it. */
export async function listWaitingMails(db: Database, key: KeyObject): Promise<WaitingMail[]> {
  const waitingMails: WaitingMail[] = [];
  const now = Date.now();
  for await (const row of listAllOutgoingMails(db)) {
    const mail = tryToOpenMail(key, row);
    waitingMails.push({
      id: row.id,
      attempts: mail?.attempts ?? 0,
      nextAttemptAt: row.dueAt > now ? row.dueAt : null,
      isUrgent: mail?.isUrgent ?? false,
      isDelayedByOutage: mail?.isDelayedByOutage ?? false,
    });
  }
  return waitingMails;
}

/** Lets the mails leave now: the urgent ones together with the first new mails, and the others behind all new ones. */
export async function makeMailsDue(
  db: DatabaseTransaction,
  mails: readonly WaitingMail[],
): Promise<void> {
  const listIds = (isUrgent: boolean) =>
    mails.filter((mail) => mail.isUrgent === isUrgent).map(({ id }) => id);
  await setDueAt(db, listIds(true), 0);
  await setDueAt(db, listIds(false), digestDueAt + 1);
}
