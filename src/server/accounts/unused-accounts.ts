// Accounts that were not used for months: their owners are asked by mail, twice, and then the accounts go. What is stored of
// the last use is encrypted: a month that a thief can read could be that of a persona's last message.
import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toDate, getToday } from '#server/base/days.ts';
import type { Log } from '#server/base/log.ts';
import type { MailQueue } from '../mail/mail-queue.ts';
import { seal, unseal } from '#server/base/seal.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  clearLastUse,
  findLastUse,
  hasLastUses,
  listLastUses,
  saveLastUse,
  type LastUseRow,
} from './account-use-queries.ts';
import { listSessions } from './sessions-queries.ts';
import { createUnusedAccountMail } from './account-mails.ts';

interface Use {
  /** Months since year 0. */
  month: number;
  /** The day on which the account goes, in days since 1970; null if its owner was not asked. */
  goesDay: number | null;
  isReminded: boolean;
}

export interface FoundAccount {
  id: string;
  email: string;
}

interface Dependencies {
  db: Database;
  /** The queue of accounts. */
  commits: CommitQueue;
  key: KeyObject;
  timesKey: KeyObject;
  /** A restored database has another one: the accounts may have been used since the backup. */
  epoch: string;
  /** Null if unused accounts stay. */
  months: number | null;
  mails: Pick<MailQueue, 'enqueue' | 'countWaiting'>;
  /** Whether the account stays, used or not: it has a role. */
  isKept(db: Database, account: FoundAccount): Promise<boolean>;
  /** @param isDue checked in the commit */
  deleteAccount(account: FoundAccount, isDue: (db: Database) => Promise<boolean>): Promise<void>;
  settings: { appName: string; origin: string };
  log: Log;
}

export interface UnusedAccounts {
  /** For each sign-in and each renewal of a session. Does nothing if the month is stored already. */
  recordUse(accountId: string): Promise<void>;
  /**
   * Asks and deletes some accounts.
   *
   * @param stopping stops between two accounts
   */
  run(stopping: AbortSignal): Promise<void>;
}

const daysToAnswer = 30; // RETAIN-5
const daysAfterReminder = 7;
/** Each deletion rewrites the list of pending removals. */
const maxAccountsPerRun = 20;
/** If so many mails wait, the mail server is slow or down. */
const maxWaitingMails = 100;
const accountsPerRead = 500;
/** For changes of all accounts: the order of the rows is erased after each, which takes longer than the change. */
const accountsPerCommit = 10;
const pauseMs = 250;
const mailMs = 24 * 60 * 60_000;
const paddedBytes = 64;
/** Midnight comes last to UTC−12. */
const latestMidnightMs = 12 * 60 * 60_000; // RETAIN-6

/** The mail names the day and no hour, so the owner can sign in until it begins, in every time zone. */
function hasBegunEverywhere(day: number): boolean {
  return Date.now() >= toDate(day).getTime() + latestMidnightMs;
}

export function createUnusedAccounts(dependencies: Dependencies): UnusedAccounts {
  const { db, commits, key, epoch, months, mails, log } = dependencies;

  const createUseOfThisMonth = (): Use => {
    const now = new Date();
    const month = now.getUTCFullYear() * 12 + now.getUTCMonth();
    return { month, goesDay: null, isReminded: false };
  };
  const toContext = (accountId: string) => `${epoch} ${accountId}`;

  /** @returns null if nothing is known: the months count from now on */
  function read(accountId: string, sealed: string | null): Use | null {
    if (sealed === null) return null;
    try {
      return JSON.parse(unseal(key, sealed, toContext(accountId))) as Use;
    } catch {
      return null;
    }
  }

  function write(tx: DatabaseTransaction, accountId: string, use: Use): Promise<void> {
    const sealed = seal(key, JSON.stringify(use), {
      context: toContext(accountId),
      padTo: paddedBytes,
    });
    return saveLastUse(tx, accountId, sealed);
  }

  const isUnused = (use: Use) =>
    months !== null && createUseOfThisMonth().month - use.month > months;

  /** Whether the account is still unused, and its owner was asked as `use` says. */
  async function isSame(tx: Database, accountId: string, use: Use): Promise<boolean> {
    const found = read(accountId, await findLastUse(tx, accountId));
    if (found?.month !== use.month || found.goesDay !== use.goesDay || !isUnused(found)) {
      return false;
    }
    const sessions = await listSessions(tx, dependencies.timesKey, accountId);
    return sessions.every(({ expiresAt }) => expiresAt.getTime() <= Date.now());
  }

  async function recordUse(accountId: string): Promise<void> {
    if (months === null) return;
    const now = createUseOfThisMonth();
    const isNoted = (sealed: string | null) => {
      const use = read(accountId, sealed);
      return use?.month === now.month && use.goesDay === null;
    };
    try {
      if (isNoted(await findLastUse(db, accountId))) return;
      await commits.write(({ db: tx }) => write(tx, accountId, now), { accountId });
    } catch (error) {
      // The next renewal notes it, and a session that has not expired keeps the account.
      log.warn('removal.failed', { error });
    }
  }

  async function changeAll(
    ids: readonly string[],
    change: (tx: DatabaseTransaction, id: string) => Promise<void>,
    stopping: AbortSignal,
  ): Promise<void> {
    for (let start = 0; start < ids.length && !stopping.aborted; start += accountsPerCommit) {
      await commits.write(async ({ db: tx }) => {
        for (const id of ids.slice(start, start + accountsPerCommit)) await change(tx, id);
      }, 'allAccounts');
      await sleep(pauseMs);
    }
  }

  async function recordMissing(rows: readonly LastUseRow[], stopping: AbortSignal): Promise<void> {
    const missing = rows.filter(({ id, lastUse }) => read(id, lastUse) === null);
    const note = async (tx: DatabaseTransaction, id: string) => {
      if (!read(id, await findLastUse(tx, id))) await write(tx, id, createUseOfThisMonth());
    };
    await changeAll(
      missing.map(({ id }) => id),
      note,
      stopping,
    );
  }

  async function forget(rows: readonly LastUseRow[], stopping: AbortSignal): Promise<void> {
    const known = rows.filter(({ lastUse }) => lastUse !== null);
    await changeAll(
      known.map(({ id }) => id),
      clearLastUse,
      stopping,
    );
  }

  /** The mail is queued first: if the process dies in between, it is sent twice instead of never. */
  async function ask(account: FoundAccount, use: Use, isReminder: boolean): Promise<void> {
    const goesDay = isReminder
      ? Math.max(use.goesDay ?? 0, getToday() + daysAfterReminder)
      : getToday() + daysToAnswer;
    const { appName, origin } = dependencies.settings;
    const mail = createUnusedAccountMail(account.email, {
      appName,
      origin,
      isReminder,
      months: months ?? 0,
      day: toDate(goesDay),
    });
    await mails.enqueue(mail, Date.now() + mailMs);
    await commits.write(
      async ({ db: tx }) => {
        if (!(await isSame(tx, account.id, use))) return;
        await write(tx, account.id, { ...use, goesDay, isReminded: isReminder });
      },
      { accountId: account.id },
    );
  }

  /** @returns whether the account needed something */
  async function handle({ id, email, lastUse }: LastUseRow): Promise<boolean> {
    const use = read(id, lastUse);
    if (!use) return false;
    const account = { id, email };
    if (!isUnused(use)) {
      // The setting has grown: its owner is asked again later.
      if (use.goesDay === null) return false;
      await commits.write(
        ({ db: tx }) => write(tx, id, { ...createUseOfThisMonth(), month: use.month }),
        {
          accountId: id,
        },
      );
      return true;
    }
    if (!(await isSame(db, id, use)) || (await dependencies.isKept(db, account))) return false;
    const { goesDay, isReminded } = use;
    if (goesDay === null) await ask(account, use, false);
    else if (!isReminded && getToday() >= goesDay - daysAfterReminder) {
      await ask(account, use, true);
    } else if (isReminded && hasBegunEverywhere(goesDay)) {
      await dependencies.deleteAccount(
        account,
        async (tx) => (await isSame(tx, id, use)) && !(await dependencies.isKept(tx, account)),
      );
    } else return false;
    return true;
  }

  return {
    recordUse,
    async run(stopping) {
      if (months === null && !(await hasLastUses(db))) return;
      if ((await mails.countWaiting(maxWaitingMails)) >= maxWaitingMails) return;
      let handled = 0;
      for (let after = ''; ;) {
        const rows = await listLastUses(db, after, accountsPerRead);
        const last = rows.at(-1);
        if (!last) return;
        await (months === null ? forget(rows, stopping) : recordMissing(rows, stopping));
        for (const row of months === null ? [] : rows) {
          if (stopping.aborted || handled === maxAccountsPerRun) return;
          if (await handle(row)) handled += 1;
        }
        after = last.id;
      }
    },
  };
}
