// Queues a mail in the commit of the act that it is about, also from a command next to a running server.
import type { KeyObject } from 'node:crypto';
import { randomId } from '#server/base/random-id.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { insertOutgoingMail } from './outgoing-mails-queries.ts';
import { sealMail } from './mail-seal.ts';
import type { Mail } from './mail-transport.ts';

const dayMs = 24 * 60 * 60_000;

/** A running server finds it within seconds. */
export async function insertMail(
  db: DatabaseTransaction,
  key: KeyObject,
  mail: Mail,
  expiresAt = Date.now() + dayMs,
): Promise<void> {
  const id = randomId();
  const queued = { ...mail, deliver: true, attempts: 0, expiresAt };
  await insertOutgoingMail(db, { id, dueAt: 0, content: sealMail(key, id, queued) });
}
