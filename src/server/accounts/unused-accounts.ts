// Deletes accounts that were not used for months, after two mails to their owners. The month of the last use is stored encrypted,
// because someone who steals the database could compare it with the month of a persona's last message.
import { toDate, getToday } from '#server/base/days.ts';
import type { StopSign } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Reader } from '#server/store/site.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import type { AccountRecord, AccountRecords, LastUse } from './account-records.ts';
import { createUnusedAccountMail } from './account-mails.ts';
import type { AccountVisitor } from './sealed-account-table.ts';
import type { ServerCore } from './server-core.ts';
import { hasEnded } from './session-records.ts';
import { toRecipient } from '#server/mail/recipient.ts';

export interface FoundAccount {
  id: string;
  email: string;
  language: string | null;
}

/** Tells whether the account stays even if it is unused, because it has a role. */
export type IsKept = (reader: Reader, account: FoundAccount) => Promise<boolean>;

/** @param isDue checked in the commit */
export type DeleteUnused = (
  account: FoundAccount,
  isDue: (reader: Reader) => Promise<boolean>,
) => Promise<void>;

const daysToAnswer = 30; // RETAIN-5
const daysAfterReminder = 7;
/** A small number, because each deletion rewrites the list of pending removals. */
const maxAccountsPerRun = 20;
/** If more mails wait, the mail server is slow or down. */
const maxWaitingMails = 100;
const mailMs = 24 * 60 * 60_000;
/** The time from midnight in UTC to midnight in UTC−12, the last time zone. */
const latestMidnightMs = 12 * 60 * 60_000; // RETAIN-5

/** Tells whether the day has begun in every time zone. The mail names a day and no hour, so the owner can sign in until then. */
function hasBegunEverywhere(day: number): boolean {
  return Date.now() >= toDate(day).getTime() + latestMidnightMs;
}

/** In months since year 0. */
function getCurrentMonth(): number {
  const now = new Date();
  return now.getUTCFullYear() * 12 + now.getUTCMonth();
}

export class UnusedAccounts implements AccountVisitor {
  readonly #server: ServerCore;
  readonly #db: Database;
  readonly #records: AccountRecords;
  readonly #commits: CommitQueue;
  /** Null if unused accounts stay. */
  readonly #months: number | null;
  readonly #isKept: IsKept;
  readonly #deleteAccount: DeleteUnused;
  /** The accounts that were unused, or asked, at the last visit. */
  readonly #candidateIds = new Set<string>();

  constructor(server: ServerCore, isKept: IsKept, deleteAccount: DeleteUnused) {
    this.#server = server;
    this.#db = server.db;
    this.#records = server.accountRecords;
    this.#commits = server.accountCommits;
    this.#months = server.config.unusedAccountMonths;
    this.#isKept = isKept;
    this.#deleteAccount = deleteAccount;
  }

  /** Stores the current month, if it is not stored already. Call it at each sign-in and each renewal of a session. */
  async recordUse(accountId: string): Promise<void> {
    if (this.#months === null) return;
    const currentUse = this.#createUse();
    try {
      const use = this.#toUse(await this.#records.findById(this.#db, accountId));
      if (use?.month === currentUse.month && use.goesDay === null) return;
      await this.#commits.write(({ db: tx }) => this.#write(tx, accountId, currentUse), {
        accountId,
      });
    } catch (error) {
      // The next renewal stores the month. Until then, the session that has not expired prevents the deletion.
      this.#server.log.warn('removal.failed', { error });
    }
  }

  /** Notes the accounts whose turn it may be on this day. Their months begin to count, or their stored use is forgotten. */
  visit(account: AccountRecord): Pick<AccountRecord, 'lastUse'> | null {
    if (this.#months === null) return account.lastUse && { lastUse: null };
    const use = this.#toUse(account);
    if (!use) return { lastUse: this.#createUse() };
    if (use.goesDay !== null || this.#isUnused(use)) this.#candidateIds.add(account.id);
    return null;
  }

  /**
   * Asks the owners of some accounts, and deletes some accounts.
   *
   * @param stopping aborts the run between two accounts
   */
  async run(stopping: StopSign): Promise<void> {
    const { mails } = this.#server;
    if ((await mails.countWaiting(maxWaitingMails)) >= maxWaitingMails) return;
    let handledCount = 0;
    for (const id of this.#candidateIds) {
      if (stopping.aborted || handledCount === maxAccountsPerRun) return;
      const account = await this.#records.findById(this.#db, id);
      if (!account) this.#candidateIds.delete(id);
      else if (await this.#handle(account)) handledCount += 1;
    }
  }

  /** @returns null if no use is known, so that the months count from now on */
  #toUse(account: AccountRecord | null): LastUse | null {
    const use = account?.lastUse;
    return use?.epoch === this.#server.epoch ? use : null;
  }

  #createUse(month = getCurrentMonth()): LastUse {
    return { epoch: this.#server.epoch, month, goesDay: null, isReminded: false };
  }

  async #write(tx: DatabaseTransaction, accountId: string, lastUse: LastUse): Promise<void> {
    await this.#records.change(tx, accountId, () => ({ lastUse }));
  }

  #isUnused(use: LastUse): boolean {
    return this.#months !== null && getCurrentMonth() - use.month > this.#months;
  }

  /** Tells whether the stored use is still equal to `use`, the account is unused, and it has no session. */
  async #isSame(tx: Database, accountId: string, use: LastUse): Promise<boolean> {
    const storedUse = this.#toUse(await this.#records.findById(tx, accountId));
    if (
      storedUse?.month !== use.month ||
      storedUse.goesDay !== use.goesDay ||
      !this.#isUnused(storedUse)
    ) {
      return false;
    }
    const sessions = await this.#server.sessionRecords.list(tx, accountId);
    return sessions.every(hasEnded);
  }

  /**
   * Asks the owner by mail. The mail is queued before the commit, so that if the process dies in between, it is sent twice and
   * not never.
   */
  async #ask(account: FoundAccount, use: LastUse, isReminder: boolean): Promise<void> {
    const goesDay = isReminder
      ? Math.max(use.goesDay ?? 0, getToday() + daysAfterReminder)
      : getToday() + daysToAnswer;
    const { appName, publicUrl } = this.#server.config;
    const recipient = toRecipient(account.email, account, this.#server.config);
    const mail = createUnusedAccountMail(recipient, {
      appName,
      origin: publicUrl.origin,
      isReminder,
      months: this.#months ?? 0,
      day: toDate(goesDay),
    });
    await this.#server.mails.enqueue(mail, Date.now() + mailMs);
    await this.#commits.write(
      async ({ db: tx }) => {
        if (!(await this.#isSame(tx, account.id, use))) return;
        await this.#write(tx, account.id, { ...use, goesDay, isReminded: isReminder });
      },
      { accountId: account.id },
    );
  }

  /** @returns whether the owner was asked, or the account was changed or deleted */
  async #handle(account: AccountRecord): Promise<boolean> {
    const { id } = account;
    const use = this.#toUse(account);
    if (!use) return false;
    if (!this.#isUnused(use)) {
      // The number of months was raised, so the owner is asked again later.
      if (use.goesDay === null) return false;
      await this.#commits.write(({ db: tx }) => this.#write(tx, id, this.#createUse(use.month)), {
        accountId: id,
      });
      return true;
    }
    if (!(await this.#isSame(this.#db, id, use)) || (await this.#isKept(this.#server, account))) {
      return false;
    }
    const { goesDay, isReminded } = use;
    if (goesDay === null) await this.#ask(account, use, false);
    else if (!isReminded && getToday() >= goesDay - daysAfterReminder) {
      await this.#ask(account, use, true);
    } else if (isReminded && hasBegunEverywhere(goesDay)) {
      await this.#deleteAccount(
        account,
        async (reader) =>
          (await this.#isSame(reader.db, id, use)) && !(await this.#isKept(reader, account)),
      );
    } else return false;
    return true;
  }
}
