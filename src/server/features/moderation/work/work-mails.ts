// Mails moderators and operators that something waits for them, and notifies their devices: at most once an hour, and only if it has
// become more. The mails say how much waits and for how long, and nothing of what was reported.
import type { KeyObject } from 'node:crypto';
import type { WaitingWork } from '#contract/moderation.ts';
import { computeId } from '#server/chat/members/member-ids.ts';
import { deriveModerationKeys } from '#server/chat/staff/keys.ts';
import type { Roles, StaffAccount } from '#server/chat/staff/roles.ts';
import { listAccountsById, listAllRoles } from '#server/chat/staff/roles-queries.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Log } from '#server/base/log.ts';
import { insertMail } from '#server/mail/insert-mail.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import {
  deleteMetadata,
  findMetadata,
  writeMetadata,
} from '#server/store/server-metadata-queries.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import { countWork, sumWork } from './waiting-work.ts';
import { listWaitingItems } from './work-queries.ts';

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  personaKey: KeyObject;
  mailKey: KeyObject;
  roles: Roles;
  lease: Pick<BackgroundLease, 'isHeld'>;
  /** Notifies the devices of the account, if it wants that. */
  notifyDevices(accountId: string): void;
  settings: { appName: string; origin: string };
  log: Log;
}

interface Progress {
  /** When mails were last queued, in milliseconds since 1970. */
  mailedAt: number;
  /** How much waited then or later, by the keyed id of the account. */
  totals: Record<string, number>;
}

const noProgress: Progress = { mailedAt: 0, totals: {} };

/** The shortest time between two mails. */
const mailIntervalMs = 60 * 60_000; // MOD-100
/** Much shorter: a check that comes a moment before the time is over would skip a whole interval. */
const checkIntervalMs = 10 * 60_000;
const metadataName = 'waitingWork';

/** Forgets the totals when the server key changes, because their ids come from the old key. */
export async function forgetWorkTotals(db: DatabaseTransaction): Promise<void> {
  await deleteMetadata(db, metadataName);
}

/** @returns a function that stops the mails */
export function startWorkMails(dependencies: Dependencies): () => Promise<void> {
  const { log } = dependencies;
  return startRepeating(
    () =>
      sendWorkMails(dependencies).catch((error: unknown) =>
        log.warn('work-mails.failed', { error }),
      ),
    checkIntervalMs,
  );
}

/** Queues the mails and saves the totals in one commit. */
async function sendWorkMails(dependencies: Dependencies): Promise<void> {
  const { db, commits, personaKey, mailKey, roles, lease, notifyDevices, settings } = dependencies;
  if (!lease.isHeld()) return;
  const storedProgress = await findMetadata(db, metadataName);
  const lastProgress =
    storedProgress === null ? noProgress : (JSON.parse(storedProgress) as Progress);
  const key = deriveModerationKeys(personaKey).roles;
  const items = await listWaitingItems(db);
  const totals: Progress['totals'] = {};
  const mails: Mail[] = [];
  const mailedIds: string[] = [];
  for (const account of await listRoleHolders(db, roles)) {
    const work = await countWork(db, { personaKey, roles }, account, items);
    const id = computeId(key, 'waiting work', account.id);
    const total = sumWork(work);
    if (total > 0) totals[id] = total;
    if (total > (lastProgress.totals[id] ?? 0)) {
      mails.push(createWorkMail(account.email, work, settings));
      mailedIds.push(account.id);
    }
  }
  const isTooEarly = Date.now() - lastProgress.mailedAt < mailIntervalMs;
  if (mails.length > 0 && isTooEarly) return;
  const mailedAt = mails.length > 0 ? Date.now() : lastProgress.mailedAt;
  const progress = JSON.stringify({ mailedAt, totals } satisfies Progress);
  if (progress === (storedProgress ?? JSON.stringify(noProgress))) return;
  await commits.write(async (unitOfWork) => {
    await writeMetadata(unitOfWork.db, metadataName, progress);
    for (const mail of mails) await insertMail(unitOfWork.db, mailKey, mail);
  }, 'independent');
  for (const accountId of mailedIds) notifyDevices(accountId);
}

/** The accounts that decide, each once, in the order of their addresses. */
async function listRoleHolders(db: Database, roles: Roles): Promise<StaffAccount[]> {
  const storedRoles = await listAllRoles(db);
  const ids = storedRoles.filter(({ role }) => role !== 'staff').map(({ accountId }) => accountId);
  const operatorIds = await roles.listOperatorIds(db);
  return listAccountsById(db, [...new Set([...ids, ...operatorIds])]);
}

function createWorkMail(
  to: string,
  work: WaitingWork,
  { appName, origin }: Dependencies['settings'],
): Mail {
  return {
    to,
    subject: `Something waits for your decision on ${appName}`,
    text: `${formatWork(work)}
${origin}/moderation

You get this mail because you are a moderator or an operator of ${appName}. It comes at most once an hour.
`,
  };
}

function formatWork({
  openCases,
  escalations,
  appeals,
  unmaskings,
  oldestDay,
}: WaitingWork): string {
  const parts = [
    formatCount(openCases, 'open case'),
    formatCount(escalations, 'escalation'),
    formatCount(appeals, 'appeal'),
    formatCount(unmaskings, 'request to unmask', 'requests to unmask'),
  ];
  const sentence = `Waiting: ${parts.filter(Boolean).join(', ')}.`;
  return oldestDay === null ? sentence : `${sentence} The oldest is of ${oldestDay}.`;
}

function formatCount(count: number, noun: string, pluralNoun = `${noun}s`): string {
  if (count === 0) return '';
  return count === 1 ? `1 ${noun}` : `${count} ${pluralNoun}`;
}
