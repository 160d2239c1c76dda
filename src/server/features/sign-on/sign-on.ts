// Sign-in through the university's OpenID Connect provider. Of the provider's data, the server stores only one keyed hash per
// account. The state of a sign-in in progress is in encrypted cookies of the browser.
import { createHmac } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import type { EnqueuePublicMail } from '#server/mail/mail-queue.ts';
import type { AccountRecord } from '#server/accounts/account-records.ts';
import { createSignOnLinkMail } from '#server/accounts/account-mails.ts';
import type { Server } from '#server/feature.ts';
import type { Account } from '#server/http/caller.ts';
import { chooseLanguage } from '#server/http/choose-language.ts';
import type { Cookies } from '#server/accounts/accounts.ts';
import { SealedCookies } from '#server/accounts/sealed-cookies.ts';
import type { SignOnProvider, StartedSignOn } from './sign-on-provider.ts';
import { toRecipient } from '#server/mail/recipient.ts';

/** A sign-in at the provider whose identity will belong to an existing account, after the person proves to own the account. */
interface PendingConnection {
  accountId: string;
  signOnKey: string;
  /** A hash of the account's address and sign-on key. It changes when the account is connected, so each link works once. */
  state: string;
}

const minuteMs = 60_000;
const startMs = 15 * minuteMs; // OIDC-3
const connectMs = 60 * minuteMs; // OIDC-7
const freshMs = 10 * minuteMs; // OIDC-11
const dayMs = 1440 * minuteMs;

export type SignOnServer = Pick<
  Server,
  | 'config'
  | 'db'
  | 'accountCommits'
  | 'keys'
  | 'accountRecords'
  | 'sessionRecords'
  | 'accounts'
  | 'limitedMails'
  | 'blockedAddresses'
>;

export class SignOn {
  readonly #server: SignOnServer;
  readonly #provider: SignOnProvider;
  /** The name of the provider for people. */
  readonly #label: string;
  readonly #enqueueMail: EnqueuePublicMail;
  readonly #cookies: SealedCookies;

  constructor(server: SignOnServer, provider: SignOnProvider, label: string) {
    this.#server = server;
    this.#provider = provider;
    this.#label = label;
    this.#enqueueMail = server.limitedMails.createMailer('sign-on');
    // The page that the provider opens sends them itself, from this origin.
    this.#cookies = new SealedCookies(server.keys.signOn.seals, server.config.publicUrl);
  }

  /**
   * @param origin the origin of the page, to which the provider sends the browser back
   * @param mustEnterAgain whether the person must enter the credentials at the provider again
   */
  async start(
    origin: string,
    headers: Headers,
    mustEnterAgain: boolean,
  ): Promise<Cookies & { url: string }> {
    const mustEnter = mustEnterAgain || this.#cookies.read<true>('signed-out', headers) === true;
    const { url, startedSignOn } = await this.#provider.start(`${origin}/sign-on`, mustEnter);
    return { url, cookies: [this.#cookies.write('sign-on', startedSignOn, startMs)] };
  }

  /**
   * Signs in, if the provider's identity belongs to an account or the address is new. Otherwise the person must first connect the
   * identity to the existing account.
   *
   * @returns the address of the account to connect, or null if the person is signed in
   *
   * @throws {AppError} SIGN_ON_UNAVAILABLE, SIGN_ON_CANCELLED, SIGN_ON_EXPIRED, SIGN_ON_EMAIL, WRONG_EMAIL_DOMAIN,
   *   EMAIL_CHARACTERS, ADDRESS_BLOCKED
   */
  async finish(query: string, headers: Headers): Promise<Cookies & { email: string | null }> {
    const startedSignOn = this.#cookies.read<StartedSignOn>('sign-on', headers);
    if (!startedSignOn) throw new AppError('SIGN_ON_EXPIRED');
    const { issuer, subject, email, isFresh } = await this.#provider.finish(startedSignOn, query);
    if (email === null) throw new AppError('SIGN_ON_EMAIL');
    this.#server.accounts.accounts.checkDomain(email);
    const signOnKey = this.#hashValues([issuer, subject]);
    const { accountRecords } = this.#server;
    const { id, accountToConnect } = await this.#server.accountCommits.write(async (unitOfWork) => {
      const linkedAccount = await accountRecords.findBySignOn(unitOfWork.db, signOnKey);
      if (linkedAccount) return { id: linkedAccount.id, accountToConnect: null };
      const unlinkedAccount = await accountRecords.find(unitOfWork.db, email);
      if (unlinkedAccount) {
        return { id: unlinkedAccount.id, accountToConnect: unlinkedAccount };
      }
      this.#server.accounts.accounts.checkNewAddress(email);
      await this.#server.blockedAddresses.check(unitOfWork.db, email);
      const language = chooseLanguage(headers, this.#server.config.languages);
      const account = { email, signOnKey, passwordHash: null, emailVerified: true, language };
      const { id: addedId } = await accountRecords.add(unitOfWork.db, account);
      return { id: addedId, accountToConnect: null };
    }, 'allAccounts');
    if (!accountToConnect) {
      return { email: null, cookies: await this.#signIn(id, headers, isFresh) };
    }
    const state = this.#hashAccount(accountToConnect);
    const connection = { accountId: id, signOnKey, state, isFresh };
    const cookies = [
      this.#cookies.write('sign-on', null, 0),
      this.#cookies.write('join', connection, connectMs),
    ];
    return { email: accountToConnect.email, cookies };
  }

  /** Gets the account that this browser can connect. @throws {AppError} SIGN_ON_EXPIRED */
  async getAccountToConnect(headers: Headers): Promise<{ id: string; email: string }> {
    return (await this.#getPendingConnection(headers)).account;
  }

  /** Mails a link that connects the account, to the account's address. @throws {AppError} SIGN_ON_EXPIRED */
  async mailLink(headers: Headers): Promise<void> {
    const { connection, account } = await this.#getPendingConnection(headers);
    const { accountId, signOnKey, state } = connection;
    const content: PendingConnection = { accountId, signOnKey, state };
    const settings = { ...this.#server.accounts.rules, label: this.#label };
    const token = this.#cookies.seal('link', content, connectMs);
    const recipient = toRecipient(account.email, account, this.#server.config);
    const mail = createSignOnLinkMail(recipient, settings, token);
    // The network is null, because the provider has confirmed that the caller is the recipient.
    await this.#enqueueMail(null, mail, Date.now() + connectMs);
  }

  /**
   * Connects the provider's identity of this browser's sign-in to the account, and signs in.
   *
   * @param link the token of the mailed link, or null if the caller has checked the account's password
   * @throws {AppError} SIGN_ON_EXPIRED, INVALID_LINK
   */
  async connect(link: string | null, headers: Headers): Promise<Cookies & { email: string }> {
    const { connection, account } = await this.#getPendingConnection(headers);
    if (link !== null) {
      // A link that was mailed for another person's sign-in would connect that person to this account.
      const mailed = this.#cookies.open<PendingConnection>('link', link);
      const isSame =
        mailed?.accountId === connection.accountId && mailed.signOnKey === connection.signOnKey;
      if (!isSame || mailed.state !== connection.state) throw new AppError('INVALID_LINK');
    }
    const { accountRecords, sessionRecords } = this.#server;
    await this.#server.accountCommits.write(async (unitOfWork) => {
      const current = await accountRecords.findById(unitOfWork.db, account.id);
      if (!current || this.#hashAccount(current) !== connection.state) {
        throw new AppError('SIGN_ON_EXPIRED');
      }
      await accountRecords.setSignOnKey(unitOfWork.db, account.id, connection.signOnKey);
      if (current.emailVerified) return;
      // The provider has confirmed the address. Another person may have signed up with it and a password of their own.
      await accountRecords.change(unitOfWork.db, account.id, () =>
        link === null ? { emailVerified: true } : { emailVerified: true, passwordHash: null },
      );
      if (link !== null) await sessionRecords.end(unitOfWork, account.id, 'all');
    }, 'allAccounts');
    const cookies = await this.#signIn(account.id, headers, connection.isFresh);
    return { email: account.email, cookies };
  }

  /** Whether this session began with credentials at the provider, at most ten minutes ago. */
  isFresh({ sessionId }: Account, headers: Headers): boolean {
    return this.#cookies.read<string>('fresh', headers) === sessionId;
  }

  /** A cookie for a browser that signs out: its next sign-in must enter the credentials again. */
  createSignedOutCookie(): string {
    return this.#cookies.write('signed-out', true, dayMs);
  }

  #hashValues(values: readonly (string | null)[]) {
    return createHmac('sha256', this.#server.keys.signOn.hashes)
      .update(JSON.stringify(values))
      .digest('base64url');
  }

  #hashAccount({ email, signOnKey }: Pick<AccountRecord, 'email' | 'signOnKey'>) {
    return this.#hashValues(['account', email, signOnKey]);
  }

  async #signIn(accountId: string, headers: Headers, isFresh: boolean): Promise<string[]> {
    const previous = await this.#server.accounts.accounts.authenticate(headers.get('cookie'));
    const userAgent = headers.get('user-agent') ?? '';
    const session = await this.#server.accountCommits.write(
      async (unitOfWork) => {
        // The account may have been deleted meanwhile.
        const account = await this.#server.accountRecords.findById(unitOfWork.db, accountId);
        if (!account) throw new AppError('SIGN_ON_EXPIRED');
        await this.#server.blockedAddresses.check(unitOfWork.db, account.email);
        return this.#server.accounts.sessions.begin(unitOfWork, account, userAgent);
      },
      { accountId },
    );
    await this.#server.accounts.unusedAccounts.recordUse(accountId);
    // The new session takes the place of the one that this browser had.
    if (previous) {
      await this.#server.accountCommits.write(
        (unitOfWork) =>
          this.#server.sessionRecords.end(unitOfWork, previous.id, {
            ids: [previous.sessionId],
          }),
        { accountId: previous.id },
      );
    }
    return [
      session.cookie,
      this.#cookies.write('sign-on', null, 0),
      this.#cookies.write('join', null, 0),
      this.#cookies.write('signed-out', null, 0),
      isFresh
        ? this.#cookies.write('fresh', session.id, freshMs)
        : this.#cookies.write('fresh', null, 0),
    ];
  }

  async #getPendingConnection(headers: Headers) {
    const connection = this.#cookies.read<PendingConnection & { isFresh: boolean }>(
      'join',
      headers,
    );
    const account =
      connection &&
      (await this.#server.accountRecords.findById(this.#server.db, connection.accountId));
    if (!account || this.#hashAccount(account) !== connection.state) {
      throw new AppError('SIGN_ON_EXPIRED');
    }
    return { connection, account };
  }
}
