// Mails moderators and operators that something waits for a decision, and notifies their devices: at most once an hour, and only
// if something new waits. Everyone whose role covers it gets the same mail, also the moderator whose persona was reported:
// otherwise, who gets no mail would tell a reporter and the mail server whose persona it is.
import type { AccountRecord } from '#server/accounts/account-records.ts';
import { seal, unseal } from '#server/base/seal.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import { listOperatorIds } from '#server/chat/staff/roles.ts';
import { listAllRoles } from '#server/chat/staff/stored-roles.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Server } from '#server/feature.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import { createMail, toRecipient, type Recipient } from '#server/mail/recipient.ts';
import {
  deleteMetadata,
  findMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';
import type { DatabaseTransaction } from '#server/store/tables.ts';
import { listWorkInReach } from './waiting-work.ts';
import { listWaitingItems } from './work-queries.ts';

type WorkServer = Pick<
  Server,
  'config' | 'db' | 'site' | 'commits' | 'accountRecords' | 'lease' | 'log'
>;

/** The work that was mailed, and nothing of an account. It is sealed, because the time of a mail tells that of a report. */
interface Progress {
  /** When mails were last queued, in milliseconds since 1970. */
  mailedAt: number;
  /** The ids of what waited then or later, sorted. */
  ids: string[];
}

const noProgress: Progress = { mailedAt: 0, ids: [] };

/** The shortest time between two mails. */
const mailIntervalMs = 60 * 60_000; // MOD-100
/** Much shorter: a check that comes a moment before the time is over would skip a whole interval. */
const checkIntervalMs = 10 * 60_000;
const metadataName = 'waitingWork';
const paddedBytes = 4096;

/** Forgets what was mailed when the server key changes. */
export async function forgetMailedWork(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, metadataName);
}

/**
 * @param notifyDevices of an account, if it wants that
 * @returns a function that stops the mails
 */
export function startWorkMails(
  server: WorkServer,
  notifyDevices: (accountId: string) => void,
): () => Promise<void> {
  return startRepeating(
    () =>
      sendWorkMails(server, notifyDevices).catch((error: unknown) =>
        server.log.warn('work-mails.failed', { error }),
      ),
    checkIntervalMs,
  );
}

/** Queues the mails and saves the progress in one commit. */
async function sendWorkMails(
  server: WorkServer,
  notifyDevices: (accountId: string) => void,
): Promise<void> {
  const { config, db, commits, lease } = server;
  const { keys } = server.site;
  if (!lease.isHeld()) return;
  const key = deriveModerationKeys(keys.personas).evidence;
  const storedProgress = await findMetadata(db, metadataName);
  const lastProgress =
    storedProgress === null
      ? noProgress
      : (JSON.parse(unseal(key, storedProgress, metadataName)) as Progress);
  const items = await listWaitingItems(db);
  const waitingIds = new Set<string>();
  const mailedAccounts: AccountRecord[] = [];
  for (const account of await listRoleHolders(server)) {
    const ids = await listWorkInReach(server, account, items);
    if (ids.some((id) => !lastProgress.ids.includes(id))) mailedAccounts.push(account);
    for (const id of ids) waitingIds.add(id);
  }
  const isTooEarly = Date.now() - lastProgress.mailedAt < mailIntervalMs;
  if (mailedAccounts.length > 0 && isTooEarly) return;
  const mailedAt = mailedAccounts.length > 0 ? Date.now() : lastProgress.mailedAt;
  const progress: Progress = { mailedAt, ids: [...waitingIds].toSorted() };
  const text = JSON.stringify(progress);
  if (text === JSON.stringify(lastProgress)) return;
  const sealedProgress = seal(key, text, { padTo: paddedBytes, context: metadataName });
  await commits.write(async (unitOfWork) => {
    await writeMetadata(unitOfWork.db, metadataName, sealedProgress);
    for (const account of mailedAccounts) {
      const recipient = toRecipient(account.email, account, config);
      await insertMail(unitOfWork.db, keys.mails, createWorkMail(recipient, config));
    }
  }, 'independent');
  for (const { id } of mailedAccounts) notifyDevices(id);
}

/** The accounts that decide, each once, in the order of their addresses. */
async function listRoleHolders(server: WorkServer): Promise<AccountRecord[]> {
  const storedRoles = await listAllRoles(server);
  const ids = storedRoles.filter(({ role }) => role !== 'staff').map(({ accountId }) => accountId);
  const operatorIds = await listOperatorIds(server);
  return server.accountRecords.listById(server.db, [...new Set([...ids, ...operatorIds])]);
}

function createWorkMail(recipient: Recipient, { appName, publicUrl }: Server['config']): Mail {
  return createMail(recipient, 'work', { appName, url: `${publicUrl.origin}/moderation` });
}
