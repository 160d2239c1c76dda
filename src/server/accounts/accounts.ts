// Sign-up, verification, sign-in and sign-out, and the account of a request's session.
import type { Account } from '#server/http/caller.ts';
import { formatDomainChoice, isUniversityEmail } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';
import { findWidestNetwork } from '#server/base/client-addresses.ts';
import { takeForMailbox } from '#server/base/limiter.ts';
import type { EnqueuePublicMail } from '../mail/mail-queue.ts';
import type { Mail } from '../mail/mail-transport.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import type { AccountRecords } from './account-records.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import {
  createOldAddressMail,
  createSignUpAgainMail,
  createVerificationMail,
} from './account-mails.ts';
import { checkNewAddress } from './check-new-address.ts';
import { checkNewPassword } from './password-rules.ts';
import type { HashingQueue, Requester } from './hashing-queue.ts';
import type { PasswordHashing } from './password-hashing.ts';
import type { SessionRecords } from './session-records.ts';
import type { FoundSession, Sessions } from './sessions.ts';
import type { ServerCore } from './server-core.ts';
import { signUpLinkMs, type PendingSignUp, type SignUpLinks } from './sign-up-links.ts';
import type { UnusedAccounts } from './unused-accounts.ts';
import { toRecipient } from '#server/mail/recipient.ts';

/** Cookies for the browser, as `Set-Cookie` values. */
export interface Cookies {
  cookies: string[];
}

interface Credentials {
  email: string;
  password: string;
}

interface NewAccount extends Credentials {
  /** That of the page, for the mails. */
  language: string;
}

interface Dependencies {
  sessions: Sessions;
  hashing: PasswordHashing;
  hashingQueue: HashingQueue;
  links: SignUpLinks;
  rules: {
    emailDomains: readonly string[];
    appName: string;
    origin: string;
    isVerificationRequired: boolean;
  };
  moveAddress: MoveAddress;
  unusedAccounts: UnusedAccounts;
}

/** Gives an account another address, ends its sessions, and queues the mails. @throws {AppError} */
export type MoveAddress = (
  unitOfWork: UnitOfWork,
  move: { from: string; to: string },
  mails: readonly Mail[],
) => Promise<void>;

export class Accounts {
  readonly #server: ServerCore;
  readonly #dependencies: Dependencies;
  readonly #enqueueMail: EnqueuePublicMail;
  readonly #db: Database;
  readonly #commits: CommitQueue;
  readonly #sessions: Sessions;
  readonly #records: AccountRecords;
  readonly #sessionRecords: SessionRecords;
  readonly #hashing: PasswordHashing;
  readonly #hashingQueue: HashingQueue;
  readonly #rules: Dependencies['rules'];

  constructor(server: ServerCore, dependencies: Dependencies) {
    this.#server = server;
    this.#dependencies = dependencies;
    this.#enqueueMail = server.limitedMails.createMailer('sign-up');
    this.#db = server.db;
    this.#commits = server.accountCommits;
    this.#sessions = dependencies.sessions;
    this.#records = server.accountRecords;
    this.#sessionRecords = server.sessionRecords;
    this.#hashing = dependencies.hashing;
    this.#hashingQueue = dependencies.hashingQueue;
    this.#rules = dependencies.rules;
  }

  /**
   * Checks only the domain, because an existing account can have an address that a new account cannot have.
   *
   * @throws {AppError} WRONG_EMAIL_DOMAIN
   */
  checkDomain(email: string): void {
    if (isUniversityEmail(email, this.#rules.emailDomains)) return;
    throw new AppError('WRONG_EMAIL_DOMAIN', {
      addresses: formatDomainChoice(this.#rules.emailDomains),
    });
  }

  /** @throws {AppError} WRONG_EMAIL_DOMAIN, EMAIL_CHARACTERS */
  checkNewAddress(email: string): void {
    checkNewAddress(email, this.#rules.emailDomains);
  }

  /**
   * If verification is required, a taken address gets the same reply as a new address.
   *
   * @throws {AppError} WRONG_EMAIL_DOMAIN, EMAIL_CHARACTERS, EMAIL_TAKEN, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  async signUp(
    { email, password, language }: NewAccount,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies & { verify: boolean }> {
    checkNewAddress(email, this.#rules.emailDomains);
    checkNewPassword(password, email, this.#rules.appName);
    if (this.#rules.isVerificationRequired) {
      await this.#hashingQueue.run(requester, () =>
        this.#sendSignUpMail({ email, password }, requester),
      );
      return { cookies: [], verify: true };
    }
    const { cookies } = await this.#hashingQueue.run(requester, () =>
      this.#createAccount({ email, password, language }, userAgent),
    );
    return { cookies, verify: false };
  }

  /** @throws {AppError} WRONG_EMAIL_DOMAIN, WRONG_CREDENTIALS, EMAIL_NOT_VERIFIED, TOO_MANY */
  async signIn(
    credentials: Credentials,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies> {
    this.checkDomain(credentials.email);
    return this.#hashingQueue.run(requester, () => this.#signIn(credentials, userAgent, requester));
  }

  async signOut(headers: Headers): Promise<Cookies> {
    const session = await this.#sessions.find(headers.get('cookie'));
    if (session) {
      const { id, accountId } = session;
      await this.#commits.write(
        (unitOfWork) => this.#sessionRecords.end(unitOfWork, accountId, { ids: [id] }),
        { accountId },
      );
    }
    return { cookies: [this.#sessions.createRemovalCookie()] };
  }

  /** @throws {AppError} INVALID_LINK */
  openSignUpLink(token: string): PendingSignUp {
    const signUp = this.#dependencies.links.open(token);
    if (!signUp) throw new AppError('INVALID_LINK');
    return signUp;
  }

  /**
   * Verifies the address and signs in. The caller must present the mailed link and the password of the
   * same sign-up: neither the mailbox alone nor the password alone is enough.
   *
   * @throws {AppError} INVALID_LINK, WRONG_PASSWORD, EMAIL_CHARACTERS, TOO_MANY
   */
  verifyEmail(
    signUp: PendingSignUp,
    { password, language }: Pick<NewAccount, 'password' | 'language'>,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies> {
    return this.#hashingQueue.run(requester, async () => {
      const { email, passwordHash, movesFrom } = signUp;
      if (!(await this.#hashing.verify(passwordHash, password))) {
        throw new AppError('WRONG_PASSWORD');
      }
      await (movesFrom === undefined
        ? this.#confirmSignUp(signUp, language)
        : this.#confirmMove(signUp, movesFrom));
      return this.#signIn({ email, password }, userAgent, requester).catch((error: unknown) => {
        // The account has got a different password in the meantime.
        const isStale = error instanceof AppError && error.code === 'WRONG_CREDENTIALS';
        throw isStale ? new AppError('INVALID_LINK') : error;
      });
    });
  }

  /** Tells whether this server issued the request's session cookie. The session may have ended. */
  hasSessionCookie(headers: Headers): boolean {
    return this.#sessions.hasCookie(headers.get('cookie'));
  }

  /** Returns the account of the session cookie in a request's `Cookie` header, or null. */
  async authenticate(cookies: string | null): Promise<Account | null> {
    const session = await this.#sessions.find(cookies);
    return session && this.#hasAccess(session) ? toAccount(session) : null;
  }

  /** Does what `authenticate` does, and extends the session if its renewal is due. */
  async refresh(headers: Headers): Promise<Cookies & { account: Account | null }> {
    const cookieHeader = headers.get('cookie');
    const session = await this.#sessions.find(cookieHeader);
    if (!session) {
      return {
        account: null,
        cookies: this.#sessions.hasCookie(cookieHeader)
          ? [this.#sessions.createRemovalCookie()]
          : [],
      };
    }
    if (!this.#hasAccess(session)) return { account: null, cookies: [] };
    const account = toAccount(session);
    if (!this.#sessions.isRenewalDue(session)) return { account, cookies: [] };
    try {
      const cookie = await this.#sessions.renew(session, cookieHeader);
      // The browser keeps its cookie, because another tab may have signed in in the meantime.
      if (cookie === null) return { account: null, cookies: [] };
      await this.#dependencies.unusedAccounts.recordUse(account.id);
      return { account, cookies: [cookie] };
    } catch (error) {
      // If nothing can be saved now, a later request extends the session.
      if (error instanceof AppError) return { account, cookies: [] };
      throw error;
    }
  }

  async #signIn(
    credentials: Credentials,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies> {
    const account = await this.#checkPassword(credentials);
    const { id, email, passwordHash } = account;
    if (!this.#hasAccess(account)) {
      await this.#sendLink(this.#createLinkMail({ email, passwordHash }), requester);
      throw new AppError('EMAIL_NOT_VERIFIED');
    }
    const { cookie } = await this.#commits.write(
      async (unitOfWork) => {
        // A changed password or address ends only the sessions that exist at that time.
        const currentAccount = await this.#records.find(unitOfWork.db, email);
        if (currentAccount?.id !== id || currentAccount.passwordHash !== passwordHash) {
          throw new AppError('WRONG_CREDENTIALS');
        }
        await this.#server.blockedAddresses.check(unitOfWork.db, email);
        return this.#sessions.begin(unitOfWork, currentAccount, userAgent);
      },
      { accountId: id },
    );
    await this.#dependencies.unusedAccounts.recordUse(id);
    return { cookies: [cookie] };
  }

  /** @throws {AppError} WRONG_CREDENTIALS */
  async #checkPassword({ email, password }: Credentials) {
    const account = await this.#records.find(this.#db, email);
    const passwordHash = account?.passwordHash ?? null;
    const isRight = await this.#hashing.verify(passwordHash, password);
    if (account && passwordHash !== null && isRight) return { ...account, passwordHash };
    throw new AppError('WRONG_CREDENTIALS');
  }

  /**
   * Saves the account, its password and its session in one commit.
   *
   * @throws {AppError} EMAIL_TAKEN, ADDRESS_BLOCKED
   */
  async #createAccount(
    { email, password, language }: NewAccount,
    userAgent: string,
  ): Promise<Cookies> {
    await this.#checkFree(this.#db, email);
    const passwordHash = await this.#hashing.hash(password);
    const { id, cookie } = await this.#commits.write(async (unitOfWork) => {
      const { db: tx } = unitOfWork;
      await this.#checkFree(tx, email);
      const content = { email, passwordHash, emailVerified: false, language };
      const account = await this.#records.add(tx, content);
      const session = await this.#sessions.begin(unitOfWork, account, userAgent);
      return { id: account.id, cookie: session.cookie };
    }, 'allAccounts');
    await this.#dependencies.unusedAccounts.recordUse(id);
    return { cookies: [cookie] };
  }

  async #checkFree(db: Database, email: string): Promise<void> {
    await this.#server.blockedAddresses.check(db, email);
    if (await this.#records.find(db, email)) throw new AppError('EMAIL_TAKEN');
  }

  #createLinkMail(signUp: PendingSignUp): Mail {
    const token = this.#dependencies.links.seal(signUp);
    const recipient = toRecipient(signUp.email, null, this.#server.config);
    return createVerificationMail(recipient, this.#rules.appName, this.#rules.origin, token);
  }

  /** Sends the mail, unless the networks have caused too many. The reply to the browser is the same. */
  async #sendLink(mail: Mail, { networks = [], priority }: Requester): Promise<void> {
    const { addresses, mailboxes, limiter } = this.#server;
    const mailbox = addresses.hashEmail(mailboxes.toMailbox(mail.to));
    try {
      takeForMailbox(limiter, 'signUpMails', mailbox, networks);
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
    const isKnownBrowser = priority === 'high';
    const network = isKnownBrowser ? null : findWidestNetwork(networks);
    await this.#enqueueMail(network, mail, Date.now() + signUpLinkMs);
  }

  /** Mails a link and stores no account. Known and unknown addresses cost the same: one hash, one query and one mail. */
  async #sendSignUpMail({ email, password }: Credentials, requester: Requester): Promise<void> {
    const passwordHash = await this.#hashing.hash(password);
    const link = this.#createLinkMail({ email: email.toLowerCase(), passwordHash });
    const existingAccount = await this.#records.find(this.#db, email);
    const owner = existingAccount?.emailVerified
      ? toRecipient(existingAccount.email, existingAccount, this.#server.config)
      : null;
    const mail = owner
      ? createSignUpAgainMail(owner, this.#rules.appName, this.#rules.origin)
      : link;
    await this.#sendLink(mail, requester);
  }

  /**
   * Creates the account if none exists. An unverified account gets the link's password, and all its
   * sessions end. A verified account does not change.
   */
  async #confirmSignUp({ email, passwordHash }: PendingSignUp, language: string): Promise<void> {
    await this.#commits.write(async (unitOfWork) => {
      await this.#server.blockedAddresses.check(unitOfWork.db, email);
      const existingAccount = await this.#records.find(unitOfWork.db, email);
      if (!existingAccount) {
        checkNewAddress(email, this.#rules.emailDomains);
        const content = { email, passwordHash, emailVerified: true, language };
        await this.#records.add(unitOfWork.db, content);
        return;
      }
      if (existingAccount.emailVerified) return;
      await this.#records.change(unitOfWork.db, existingAccount.id, () => ({
        passwordHash,
        emailVerified: true,
      }));
      await this.#sessionRecords.end(unitOfWork, existingAccount.id, 'all');
    }, 'allAccounts');
  }

  /**
   * Moves the account to the new address. The password proves that its owner has the new mailbox, so no operator can take the
   * account over (ADMIN-50).
   */
  async #confirmMove({ email, passwordHash }: PendingSignUp, from: string): Promise<void> {
    checkNewAddress(email, this.#rules.emailDomains);
    await this.#commits.write(async (unitOfWork) => {
      await this.#server.blockedAddresses.check(unitOfWork.db, from);
      await this.#server.blockedAddresses.check(unitOfWork.db, email);
      const movedAccount = await this.#records.find(unitOfWork.db, from);
      if (movedAccount?.email !== from || movedAccount.passwordHash !== passwordHash) {
        throw new AppError('INVALID_LINK');
      }
      const { appName, supportContact } = this.#server.config;
      const recipient = toRecipient(from, movedAccount, this.#server.config);
      await this.#dependencies.moveAddress(unitOfWork, { from, to: email }, [
        createOldAddressMail(recipient, appName, supportContact),
      ]);
    }, 'allAccounts');
  }

  /**
   * Tells whether the account may use the server. If verification is required, unverified accounts may not, not even in old
   * sessions.
   */
  #hasAccess(account: { emailVerified: boolean }): boolean {
    return account.emailVerified || !this.#rules.isVerificationRequired;
  }
}

function toAccount({ accountId, email, id: sessionId, expiresAt }: FoundSession): Account {
  return { id: accountId, email, sessionId, expiresAt };
}
