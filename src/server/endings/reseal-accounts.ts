// Seals all sealed values in rows of accounts and all registers again, once a day. So every row changes between two daily copies of
// the database, and a changed row does not tell that its account was used on that day.
import { randomInt, type KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { startOfDay, getToday } from '#server/base/days.ts';
import { defaultSettings, sealSettings } from '#server/accounts/sealed-settings.ts';
import type { Log } from '#server/base/log.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import { reseal } from '#server/base/seal.ts';
import { decryptTimes, sealTimes, timesContext } from '#server/base/sealed-times.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import { getRegisters, listRegistersAfter, type RegisterRow } from '#server/store/registers.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  deleteMailedLinks,
  findAccountRows,
  listAccountIdsAfter,
  listMailedLinks,
  saveSealedAccount,
  saveSealedSession,
  type AccountRows,
} from './sealed-rows-queries.ts';
import { resealPendingRemovals } from '#server/chat/members/pending-removals.ts';
import { findMetadata, writeMetadata } from '#server/store/server-metadata-queries.ts';
import { deleteSessions } from '#server/accounts/sessions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';

interface Keys {
  times: KeyObject;
  accountUse: KeyObject;
  settings: KeyObject;
  subscriptions: KeyObject;
  personas: KeyObject;
}

interface Dependencies {
  db: Database;
  /** The commit queue for changes of accounts. */
  commits: CommitQueue;
  keys: Keys;
  /** The epoch of the database, to which `lastUse` is bound. */
  epoch: string;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

const metadataName = 'accountsResealedOn';
const intervalMs = 10 * 60_000;
/** A small number, because after each commit the order of the rows is erased, which takes longer than the change. */
const accountsPerCommit = 5;
/** A small number, so that other writes do not wait long. */
const registersPerCommit = 10;
/** Limits the work to a third of the time. */
const pauseFactor = 2;
/** Each day, one of so many expired sessions is deleted, so that the day does not tell when the session was used last. */
const deletionChance = 30;

/** @returns a function that stops the resealing, and resolves when nothing is written any more */
export function startResealing(dependencies: Dependencies): () => Promise<void> {
  const { lease, log } = dependencies;
  const stopping = new AbortController();
  const stop = startRepeating(async () => {
    if (!lease.isHeld()) return;
    try {
      await resealDaily(dependencies, stopping.signal);
    } catch (error) {
      log.warn('reseal.failed', { error });
    }
  }, intervalMs);
  return async () => {
    stopping.abort();
    await stop();
  };
}

async function resealDaily({ db, commits, keys, epoch }: Dependencies, stopping: AbortSignal) {
  const day = String(getToday());
  if ((await findMetadata(db, metadataName)) === day) return;
  await deleteExpiredLinks({ db, commits, keys });
  await resealAll(commits, stopping, {
    list: (lastId: string | null) => listAccountIdsAfter(db, lastId ?? '', accountsPerCommit),
    reseal: (unitOfWork, id) => resealAccount(unitOfWork, keys, epoch, id),
  });
  await resealAll(commits, stopping, {
    list: (lastRow: RegisterRow | null) => listRegistersAfter(db, lastRow, registersPerCommit),
    reseal: ({ db: tx }, row) => getRegisters(keys.personas).reseal(tx, row),
  });
  if (stopping.aborted) return;
  await commits.write(async ({ db: tx }) => {
    await resealPendingRemovals(tx, keys.personas);
    await writeMetadata(tx, metadataName, day);
  }, 'independent');
}

interface Rows<Row> {
  /** Lists the rows after the last one, or the first rows, that the next commit seals. */
  list(lastRow: Row | null): Promise<readonly Row[]>;
  reseal(unitOfWork: UnitOfWork, row: Row): Promise<void>;
}

/** Seals all rows again, and pauses after each commit. */
async function resealAll<Row>(
  commits: CommitQueue,
  stopping: AbortSignal,
  { list, reseal: resealOne }: Rows<Row>,
): Promise<void> {
  for (let lastRow: Row | null = null; !stopping.aborted;) {
    const startedAt = performance.now();
    const rows = await list(lastRow);
    const last = rows.at(-1);
    if (last === undefined) return;
    await commits.write(async (unitOfWork) => {
      for (const row of rows) await resealOne(unitOfWork, row);
    }, 'allAccounts');
    lastRow = last;
    await sleep((performance.now() - startedAt) * pauseFactor);
  }
}

async function deleteExpiredLinks({
  db,
  commits,
  keys,
}: Pick<Dependencies, 'db' | 'commits' | 'keys'>) {
  const expiredLinks = (await listMailedLinks(db)).filter((link) => {
    const times = decryptTimes(keys.times, timesContext.link(link.identifier), link);
    return (times?.expiresAt ?? 0) <= Date.now();
  });
  if (expiredLinks.length === 0) return;
  const ids = expiredLinks.map(({ id }) => id);
  await commits.write(({ db: tx }) => deleteMailedLinks(tx, ids), 'independent');
}

async function resealAccount(
  unitOfWork: UnitOfWork,
  keys: Keys,
  epoch: string,
  accountId: string,
): Promise<void> {
  const { db: tx } = unitOfWork;
  const rows = await findAccountRows(tx, accountId);
  if (!rows) return;
  const { account, sessions } = rows;
  const { lastUse, notifications } = account;
  const columns = {
    times: resealTimes(keys.times, keys.times, timesContext.account(accountId), account),
    lastUse: resealText(keys.accountUse, lastUse, `${epoch} ${accountId}`),
    notifications:
      resealText(keys.settings, notifications, accountId) ??
      sealSettings(keys.settings, accountId, defaultSettings),
  };
  await saveSealedAccount(tx, accountId, columns);
  for (const session of sessions) await resealSession(unitOfWork, keys, accountId, session);
}

async function resealSession(
  unitOfWork: UnitOfWork,
  keys: Keys,
  accountId: string,
  session: AccountRows['sessions'][number],
): Promise<void> {
  const { db: tx } = unitOfWork;
  const context = timesContext.session(session.token);
  const expiresAt = decryptTimes(keys.times, context, session)?.expiresAt ?? 0;
  if (expiresAt <= Date.now() && randomInt(deletionChance) === 0) {
    await deleteSessions(unitOfWork, accountId, { id: session.id });
    return;
  }
  const columns = {
    times: resealTimes(keys.times, keys.times, context, session),
    push: resealText(keys.subscriptions, session.push, session.id),
  };
  await saveSealedSession(tx, session.id, columns);
}

/**
 * Seals the times with a new server key. Sessions and links end with it.
 *
 * @param oldKey null if the key is lost. Then the days of sign-ups become the day of the change
 */
export async function rekeyTimes(
  tx: DatabaseTransaction,
  oldKey: KeyObject | null,
  newKey: KeyObject,
): Promise<void> {
  for (const id of await listAccountIdsAfter(tx, '', Number.MAX_SAFE_INTEGER)) {
    const rows = await findAccountRows(tx, id);
    if (!rows) continue;
    const times = resealTimes(oldKey, newKey, timesContext.account(id), rows.account);
    const { lastUse, notifications } = rows.account;
    await saveSealedAccount(tx, id, { times, lastUse, notifications });
  }
}

/** Seals the times with the new key. Times that the old key cannot open are replaced by today. */
function resealTimes(
  oldKey: KeyObject | null,
  newKey: KeyObject,
  context: string,
  row: Parameters<typeof decryptTimes>[2],
): string {
  const times = oldKey && decryptTimes(oldKey, context, row);
  return sealTimes(newKey, context, times ?? { createdAt: startOfDay().getTime() });
}

/** Seals the text again, or returns it unchanged if the key cannot open it. */
function resealText(key: KeyObject, sealed: string | null, context: string): string | null {
  if (sealed === null) return null;
  try {
    return reseal(key, sealed, context);
  } catch {
    return sealed;
  }
}
