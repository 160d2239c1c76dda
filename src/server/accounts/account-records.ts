// Accounts as the server stores them: one encrypted value for each, all of one size. No copy of the database without the server key
// tells an address. Nothing that happens in a class writes a row of an account.
import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NotificationSettings } from '#contract/notifications.ts';
import { getToday } from '#server/base/days.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { DamagedRecordError, openRecord, sealRecord, tryToOpen } from '#server/base/seal.ts';
import { planOnce, prepareQuery } from '#server/store/prepare-query.ts';
import { shuffleNeighbors } from '#server/store/shuffle-neighbors.ts';
import type { Database, DatabaseTransaction, Tables } from '#server/store/tables.ts';

/** What an account chose about its notifications in all classes. */
export interface StoredSettings extends NotificationSettings {
  digest: boolean;
}

export const defaultSettings: StoredSettings = {
  showText: false,
  answers: true,
  quietHours: null,
  snoozedUntil: null,
  waitingWork: false,
  digest: false,
};

/** When the account was last used, and whether its owner was asked to sign in: see unused-accounts.ts. */
export interface LastUse {
  /** The history of the database in which the account was used. In a restored database it may have been used since. */
  epoch: string;
  /** Months since year 0. */
  month: number;
  /** The day on which the account is deleted, in days since 1970; null if its owner was not asked. */
  goesDay: number | null;
  isReminded: boolean;
}

export interface AccountContent {
  email: string;
  /** An argon2id hash; null without a password. */
  passwordHash: string | null;
  emailVerified: boolean;
  /** The day of the sign-up, in days since 1970. */
  createdDay: number;
  /** Null if unused accounts stay. */
  lastUse: LastUse | null;
  settings: StoredSettings;
  /** The language of mails and notifications; null for the default of the site. */
  language: string | null;
  /** The group of the account's sessions, new each day: see session-records.ts. */
  sessionGroup: string;
}

export interface AccountRecord extends AccountContent {
  id: string;
  /** A keyed hash; null if another account has the mailbox. */
  mailboxKey: string | null;
  /** A keyed hash of the provider's issuer and subject; null if the account does not sign in through the provider. */
  signOnKey: string | null;
}

export interface AccountKeys {
  addresses: KeyObject;
  contents: KeyObject;
}

/** Some accounts that follow each other. Those that cannot be opened are only counted. */
interface AccountSlice {
  accounts: AccountRecord[];
  damagedCount: number;
  /** Null if no account follows. */
  lastId: string | null;
}

/** The longest address and all settings fit, and the row fits into a page of SQLite, which stores more than 1,002 bytes elsewhere. */
const contentBytes = 824;
const accountsPerRead = 500;

const selectByAddress = prepareQuery((db, $: { addressKey: string; mailboxKey: string }) =>
  db
    .selectFrom('accounts')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb('addressKey', '=', planOnce($.addressKey)),
        eb('mailboxKey', '=', planOnce($.mailboxKey)),
      ]),
    ),
);

const selectById = prepareQuery((db, $: { id: string }) =>
  db.selectFrom('accounts').selectAll().where('id', '=', $.id),
);

type AccountRow = Tables['accounts'];

export class AccountRecords {
  readonly #keys: AccountKeys;
  /** Hashes the mailbox of an address: see mailboxes.ts. */
  readonly toMailboxKey: (email: string) => string;

  constructor(keys: AccountKeys, { toKey }: { toKey(email: string): string }) {
    this.#keys = keys;
    this.toMailboxKey = toKey;
  }

  /** Finds the account with exactly this address, or else one with the same mailbox. */
  async find(db: Database, typedEmail: string): Promise<AccountRecord | null> {
    const rows = await this.#selectByAddress(db, typedEmail);
    const addressKey = this.toAddressKey(typedEmail);
    const row = rows.find((candidate) => candidate.addressKey === addressKey) ?? rows[0];
    return row ? this.open(row) : null;
  }

  /** Lists the accounts with this address, or with this mailbox. */
  async listWithAddress(db: Database, typedEmail: string): Promise<AccountRecord[]> {
    return (await this.#selectByAddress(db, typedEmail)).map((row) => this.open(row));
  }

  async findById(db: Database, id: string): Promise<AccountRecord | null> {
    const [row] = await selectById(db, { id });
    return row ? this.open(row) : null;
  }

  async findBySignOn(db: Database, signOnKey: string): Promise<AccountRecord | null> {
    const query = db.selectFrom('accounts').selectAll().where('signOnKey', '=', signOnKey);
    const row = await query.executeTakeFirst();
    return row ? this.open(row) : null;
  }

  /** Finds the account that has exactly this address. */
  async findId(db: Database, email: string): Promise<string | null> {
    const [account] = await this.listIds(db, [email]);
    return account?.accountId ?? null;
  }

  /** Finds the accounts that have exactly these addresses, in lower case. */
  async listIds(
    db: Database,
    emails: readonly string[],
  ): Promise<{ accountId: string; email: string }[]> {
    if (emails.length === 0) return [];
    const emailsByKey = new Map(emails.map((email) => [this.toAddressKey(email), email]));
    const rows = await db
      .selectFrom('accounts')
      .select(['id', 'addressKey'])
      .where('addressKey', 'in', [...emailsByKey.keys()])
      .execute();
    return rows.map(({ id, addressKey }) => ({
      accountId: id,
      email: emailsByKey.get(addressKey) ?? '',
    }));
  }

  /**
   * Lists the accounts in the order of their addresses.
   *
   * @throws {DamagedRecordError} if an account cannot be opened, unless `skipsDamaged`
   */
  async listById(
    db: Database,
    ids: readonly string[],
    { skipsDamaged = false } = {},
  ): Promise<AccountRecord[]> {
    if (ids.length === 0) return [];
    const rows = await db.selectFrom('accounts').selectAll().where('id', 'in', ids).execute();
    return rows
      .map((row) => (skipsDamaged ? tryToOpen(() => this.open(row)) : this.open(row)))
      .filter((account) => account !== null)
      .toSorted((a, b) => (a.email < b.email ? -1 : 1));
  }

  /**
   * Yields all accounts in the order of their random ids, in slices, between which other work runs.
   *
   * @throws {DamagedRecordError} if an account cannot be opened, unless `skipsDamaged`
   */
  async *listAll(db: Database, { skipsDamaged = false } = {}): AsyncGenerator<AccountRecord[]> {
    for (let lastId: string | null = ''; ;) {
      const slice: AccountSlice = await this.listAfter(db, lastId, accountsPerRead);
      if (slice.lastId === null) return;
      if (slice.damagedCount > 0 && !skipsDamaged) throw new DamagedRecordError();
      yield slice.accounts;
      lastId = slice.lastId;
      await nextTurn();
    }
  }

  async listAfter(db: Database, lastId: string, limit: number): Promise<AccountSlice> {
    const rows = await db
      .selectFrom('accounts')
      .selectAll()
      .where('id', '>', lastId)
      .orderBy('id')
      .limit(limit)
      .execute();
    const accounts = rows.map((row) => tryToOpen(() => this.open(row))).filter((a) => a !== null);
    const damagedCount = rows.length - accounts.length;
    return { accounts, damagedCount, lastId: rows.at(-1)?.id ?? null };
  }

  async add(
    tx: DatabaseTransaction,
    account: Pick<AccountContent, 'email' | 'emailVerified' | 'passwordHash'> & {
      signOnKey?: string;
      language?: string;
    },
  ): Promise<AccountRecord> {
    const { email, emailVerified, passwordHash, signOnKey = null, language = null } = account;
    const record: AccountRecord = {
      id: createRandomId(24),
      email: email.toLowerCase(),
      mailboxKey: this.toMailboxKey(email),
      signOnKey,
      passwordHash,
      emailVerified,
      createdDay: getToday(),
      lastUse: null,
      settings: defaultSettings,
      language,
      sessionGroup: createRandomId(),
    };
    await tx.insertInto('accounts').values(this.seal(record)).execute();
    await shuffleNeighbors(tx, 'accounts', { id: record.id });
    return record;
  }

  /**
   * Changes the account within the transaction, whose scope must exclude other changes of the account.
   *
   * @param change returns the changed values; null if there is nothing to write
   * @returns false if the account does not exist
   */
  async change(
    tx: DatabaseTransaction,
    id: string,
    change: (account: AccountRecord) => Partial<Omit<AccountRecord, 'id'>> | null,
  ): Promise<boolean> {
    const [row] = await selectById(tx, { id });
    if (!row) return false;
    const account = this.open(row);
    const changes = change(account);
    if (changes === null) return true;
    const { numUpdatedRows } = await tx
      .updateTable('accounts')
      .set(this.seal({ ...account, ...changes }))
      .where('id', '=', id)
      .where('content', '=', row.content)
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) throw new Error('The account has changed since it was read.');
    return true;
  }

  /** Sets the key of the account. Another account that has the same key loses it. */
  async setSignOnKey(tx: DatabaseTransaction, id: string, signOnKey: string): Promise<void> {
    const accounts = tx.updateTable('accounts');
    await accounts.set({ signOnKey: null }).where('signOnKey', '=', signOnKey).execute();
    await accounts.set({ signOnKey }).where('id', '=', id).execute();
    await shuffleNeighbors(tx, 'accounts', { id });
  }

  /** Encrypts the account as a row. */
  seal({ id, mailboxKey, signOnKey, ...content }: AccountRecord): AccountRow {
    return {
      id,
      addressKey: this.toAddressKey(content.email),
      mailboxKey,
      signOnKey,
      content: sealRecord(this.#keys.contents, content, {
        step: contentBytes,
        context: toContext(id),
      }),
    };
  }

  /** @throws {DamagedRecordError} if this key did not seal the row */
  open({ id, mailboxKey, signOnKey, content }: AccountRow): AccountRecord {
    const opened = openRecord(this.#keys.contents, content, toContext(id)) as AccountContent;
    const settings = { ...defaultSettings, ...opened.settings };
    // Accounts of earlier versions have none.
    const language = opened.language ?? null;
    return { ...opened, language, settings, id, mailboxKey, signOnKey };
  }

  async #selectByAddress(db: Database, email: string): Promise<AccountRow[]> {
    const addressKey = this.toAddressKey(email);
    return selectByAddress(db, { addressKey, mailboxKey: this.toMailboxKey(email) });
  }

  /** Hashes the address, in lower case. */
  toAddressKey(email: string): string {
    return createHmac('sha256', this.#keys.addresses)
      .update(email.toLowerCase())
      .digest('base64url')
      .slice(0, 22);
  }
}

/** Deletes only the account: its sessions and roles end before. */
export async function deleteAccountRow(tx: DatabaseTransaction, id: string): Promise<void> {
  await tx.deleteFrom('accounts').where('id', '=', id).execute();
}

export async function listAccountIds(db: Database): Promise<string[]> {
  const rows = await db.selectFrom('accounts').select('id').execute();
  return rows.map(({ id }) => id);
}

function toContext(id: string): string {
  return `account ${id}`;
}
