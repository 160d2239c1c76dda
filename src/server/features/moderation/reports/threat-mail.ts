// Mails all operators when a member reports a threat, and notifies their devices. The report's commit stores that mails
// are due, so a crash before they are queued only delays them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '#server/feature.ts';
import { listOperatorRecipients } from '#server/features/moderation/list-operator-recipients.ts';
import {
  deleteMetadata,
  findMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import { createMail, type Recipient } from '#server/mail/recipient.ts';

export interface ThreatMails {
  /** Marks the mails as due in the commit of the report. */
  markDue(unitOfWork: UnitOfWork): Promise<void>;
  /** Queues the mails, after the commit. If that fails, it is tried again. */
  send(): Promise<void>;
  stop(): Promise<void>;
}

type ThreatServer = Pick<Server, 'config' | 'db' | 'site' | 'commits' | 'limitedMails' | 'log'>;

const dueName = 'threatMailsDue';
const mailRetentionMs = 24 * 60 * 60_000;
const retryMs = 10_000;

/**
 * Starts with the mails that an earlier server left.
 *
 * @param notifyDevices under the same limit as the mails
 */
export function createThreatMails(
  server: ThreatServer,
  notifyDevices: (accountId: string) => void,
): ThreatMails {
  const { config, db, commits, limitedMails, log } = server;
  const stopping = new AbortController();
  let retrying: Promise<void> | null = null;

  async function queueMails(): Promise<void> {
    for (const { accountId, ...recipient } of await listOperatorRecipients(server, config)) {
      const mail = createThreatMail(recipient, config);
      const isQueued = await limitedMails.enqueueUrgent(mail, Date.now() + mailRetentionMs);
      if (isQueued && accountId !== null) notifyDevices(accountId);
    }
    await commits.write((unitOfWork) => deleteMetadata(unitOfWork.db, dueName), 'independent');
  }

  async function send(): Promise<void> {
    try {
      await queueMails();
    } catch (error) {
      log.warn('threat-mail.failed', { error });
      retrying ??= retry();
    }
  }

  async function retry(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await sleep(retryMs, undefined, { signal: stopping.signal });
        await queueMails();
        break;
      } catch {
        // The server stops, or the database still fails.
      }
    }
    retrying = null;
  }

  async function sendLeft(): Promise<void> {
    if ((await findMetadata(db, dueName)) !== null) await send();
  }

  const starting = sendLeft().catch((error: unknown) => log.warn('threat-mail.failed', { error }));

  return {
    markDue: ({ db: transaction }) => writeMetadata(transaction, dueName, '1'),
    send,
    async stop() {
      stopping.abort();
      await starting;
      await retrying;
    },
  };
}

/** Tells an operator of a report. It says nothing about the report, because mails are not confidential. */
function createThreatMail(recipient: Recipient, { appName, publicUrl }: Server['config']): Mail {
  return createMail(recipient, 'threat', { appName, url: `${publicUrl.origin}/moderation` });
}
