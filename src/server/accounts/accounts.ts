// Sign-up, verification, sign-in, sign-out, and whose session a request has.
import type { Account } from '#server/http/caller.ts';
import type { KeyObject } from 'node:crypto';
import { isUniversityEmail, toWrongDomainMessage } from '#contract/email-address.ts';
import { AppError } from '#contract/errors.ts';
import { findWidestNetwork, type Network } from '#server/base/client-addresses.ts';
import type { EnqueuePublicMail } from '../mail/mail-queue.ts';
import type { Mail } from '../mail/mail-transport.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import {
  addAccount,
  findAccount,
  markVerified,
  setPassword,
  revokeLinks,
} from './accounts-queries.ts';
import { deleteSessions, type FoundSession } from './sessions-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import { signUpAgainMail, createVerificationMail } from './account-mails.ts';
import { checkNewAddress } from './check-new-address.ts';
import { checkNewPassword } from './password-rules.ts';
import type { HashingQueue, Requester } from './hashing-queue.ts';
import type { PasswordHashing } from './sealed-passwords.ts';
import type { Sessions } from './sessions.ts';
import { signUpLinkMs, type PendingSignUp, type SignUpLinks } from './sign-up-links.ts';

/** Cookies for the browser, as `Set-Cookie` values. */
export interface Cookies {
  cookies: string[];
}

interface Credentials {
  email: string;
  password: string;
}

export interface Accounts {
  /** Accepts all addresses that an existing account can have, also those that a new account cannot have. @throws {AppError} WRONG_EMAIL_DOMAIN */
  checkDomain(email: string): void;
  /** @throws {AppError} WRONG_EMAIL_DOMAIN, EMAIL_CHARACTERS */
  checkNewAddress(email: string): void;
  /**
   * If verification is required, a taken address gets the same reply as a new one.
   *
   * @throws {AppError} WRONG_EMAIL_DOMAIN, EMAIL_CHARACTERS, EMAIL_TAKEN, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  signUp(
    credentials: Credentials,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies & { verify: boolean }>;
  /** @throws {AppError} WRONG_EMAIL_DOMAIN, WRONG_CREDENTIALS, EMAIL_NOT_VERIFIED, TOO_MANY */
  signIn(credentials: Credentials, userAgent: string, requester: Requester): Promise<Cookies>;
  signOut(headers: Headers): Promise<Cookies>;
  /** @throws {AppError} INVALID_LINK */
  readSignUpLink(token: string): PendingSignUp;
  /**
   * Verifies the address and signs in. The caller must present the mailed link and the password of the
   * same sign-up: neither the mailbox alone nor the password alone is enough.
   *
   * @throws {AppError} INVALID_LINK, WRONG_PASSWORD, EMAIL_CHARACTERS, TOO_MANY
   */
  verifyEmail(
    signUp: PendingSignUp,
    password: string,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies>;
  /** Whether this server issued the request's session cookie. The session may have ended. */
  hasSessionCookie(headers: Headers): boolean;
  /** Returns the account of the session cookie in a request's `Cookie` header, or null. */
  authenticate(cookies: string | null): Promise<Account | null>;
  /** Does what `authenticate` does, and extends the session if its renewal is due. */
  refresh(headers: Headers): Promise<Cookies & { account: Account | null }>;
}

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  sessions: Sessions;
  hashing: PasswordHashing;
  hashingQueue: HashingQueue;
  links: SignUpLinks;
  timesKey: KeyObject;
  rules: {
    emailDomains: readonly string[];
    appName: string;
    origin: string;
    isVerificationRequired: boolean;
  };
  toMailboxKey(email: string): string;
  /** Gives an account another address, ends its sessions and tells the old one. @throws {AppError} */
  moveAddress(unitOfWork: UnitOfWork, from: string, to: string): Promise<void>;
  /** @throws {AppError} TOO_MANY if these networks have caused too many link mails to the address */
  checkMaySendLink(email: string, networks: readonly Network[]): void;
  enqueueMail: EnqueuePublicMail;
  /** Called after each sign-in and each renewal of a session. */
  onSessionUsed(accountId: string): Promise<void>;
}

export function createAccounts(dependencies: Dependencies): Accounts {
  const { db, commits, sessions, hashing, hashingQueue } = dependencies;
  const { links, timesKey, rules, enqueueMail, onSessionUsed } = dependencies;

  function checkDomain(email: string): void {
    if (isUniversityEmail(email, rules.emailDomains)) return;
    throw new AppError('WRONG_EMAIL_DOMAIN', toWrongDomainMessage(rules.emailDomains));
  }

  const toIdentity = (email: string) => ({ email, mailboxKey: dependencies.toMailboxKey(email) });

  async function signIn(
    credentials: Credentials,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies> {
    const account = await checkPassword(credentials);
    const { id, email, passwordHash } = account;
    if (!hasAccess(account)) {
      await sendLink(createLinkMail({ email, passwordHash }), requester);
      throw new AppError('EMAIL_NOT_VERIFIED');
    }
    const { cookie } = await commits.write(
      async (unitOfWork) => {
        // A changed password or address ends only the sessions that exist at that time.
        const current = await findAccount(unitOfWork.db, toIdentity(email));
        if (current?.id !== id || current.passwordHash !== passwordHash) {
          throw new AppError('WRONG_CREDENTIALS');
        }
        return sessions.begin(unitOfWork, id, userAgent);
      },
      { accountId: id },
    );
    await onSessionUsed(id);
    return { cookies: [cookie] };
  }

  /** Does one hash, whether or not there is an account with a password. @throws {AppError} WRONG_CREDENTIALS */
  async function checkPassword({ email, password }: Credentials) {
    const account = await findAccount(db, toIdentity(email));
    const passwordHash = account?.passwordHash;
    if (!passwordHash) await hashing.hash(password);
    else if (await hashing.verify(passwordHash, password)) {
      return { ...account, passwordHash };
    }
    throw new AppError('WRONG_CREDENTIALS');
  }

  /** Saves the account, its password and its session in one commit. @throws {AppError} EMAIL_TAKEN */
  async function createAccount(
    { email, password }: Credentials,
    userAgent: string,
  ): Promise<Cookies> {
    const address = { ...toIdentity(email), email: email.toLowerCase() };
    const checkNotTaken = async (tx: Database) => {
      if (await findAccount(tx, address)) throw new AppError('EMAIL_TAKEN');
    };
    await checkNotTaken(db);
    const passwordHash = await hashing.hash(password);
    const { id, cookie } = await commits.write(async (unitOfWork) => {
      const { db: tx } = unitOfWork;
      await checkNotTaken(tx);
      const account = { ...address, passwordHash, emailVerified: false };
      const accountId = await addAccount(tx, timesKey, account);
      const session = await sessions.begin(unitOfWork, accountId, userAgent);
      return { id: accountId, cookie: session.cookie };
    }, 'allAccounts');
    await onSessionUsed(id);
    return { cookies: [cookie] };
  }

  const createLinkMail = (signUp: PendingSignUp) =>
    createVerificationMail(signUp.email, rules.appName, rules.origin, links.seal(signUp));

  /** If the network has caused too many, the answer stays the same. */
  async function sendLink(mail: Mail, { networks = [], priority }: Requester): Promise<void> {
    try {
      dependencies.checkMaySendLink(mail.to, networks);
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
    const isKnownBrowser = priority === 'high';
    const network = isKnownBrowser ? null : findWidestNetwork(networks);
    await enqueueMail(network, mail, Date.now() + signUpLinkMs);
  }

  /** Stores no account. Known and unknown addresses cost the same: one hash, one query and one mail. */
  async function sendSignUpMail(
    { email, password }: Credentials,
    requester: Requester,
  ): Promise<void> {
    const passwordHash = await hashing.hash(password);
    const link = createLinkMail({ email: email.toLowerCase(), passwordHash });
    const existingAccount = await findAccount(db, toIdentity(email));
    const owner = existingAccount?.emailVerified ? existingAccount.email : null;
    await sendLink(owner ? signUpAgainMail(owner, rules.appName, rules.origin) : link, requester);
  }

  /**
   * Creates the account if none exists. An unverified account gets the link's password, and all its
   * sessions end. A verified account does not change.
   */
  async function confirmSignUp({ email, passwordHash }: PendingSignUp): Promise<void> {
    await commits.write(async (unitOfWork) => {
      const existingAccount = await findAccount(unitOfWork.db, toIdentity(email));
      if (!existingAccount) {
        checkNewAddress(email, rules.emailDomains);
        const account = { ...toIdentity(email), passwordHash, emailVerified: true };
        await addAccount(unitOfWork.db, timesKey, account);
        return;
      }
      if (existingAccount.emailVerified) return;
      await setPassword(unitOfWork.db, existingAccount.id, passwordHash);
      await markVerified(unitOfWork.db, existingAccount.id);
      await revokeLinks(unitOfWork.db, existingAccount.id);
      await deleteSessions(unitOfWork, existingAccount.id, 'all');
    }, 'allAccounts');
  }

  /** The password proves that the new mailbox belongs to the owner of the account: no operator can take it over. ADMIN-50 */
  async function confirmMove({ email, passwordHash }: PendingSignUp, from: string): Promise<void> {
    checkNewAddress(email, rules.emailDomains);
    await commits.write(async (unitOfWork) => {
      const movedAccount = await findAccount(unitOfWork.db, toIdentity(from));
      if (movedAccount?.email !== from || movedAccount.passwordHash !== passwordHash) {
        throw new AppError('INVALID_LINK');
      }
      await dependencies.moveAddress(unitOfWork, from, email);
    }, 'allAccounts');
  }

  /**
   * If verification is required, sessions of unverified accounts are rejected, however old they are.
   */
  const hasAccess = (account: { emailVerified: boolean }) =>
    account.emailVerified || !rules.isVerificationRequired;

  async function authenticate(cookies: string | null): Promise<Account | null> {
    const session = await sessions.find(cookies);
    return session && hasAccess(session) ? toAccount(session) : null;
  }

  return {
    checkDomain,
    checkNewAddress: (email) => checkNewAddress(email, rules.emailDomains),
    async signUp({ email, password }, userAgent, requester) {
      checkNewAddress(email, rules.emailDomains);
      checkNewPassword(password, email, rules.appName);
      if (rules.isVerificationRequired) {
        await hashingQueue.run(requester, () => sendSignUpMail({ email, password }, requester));
        return { cookies: [], verify: true };
      }
      const { cookies } = await hashingQueue.run(requester, () =>
        createAccount({ email, password }, userAgent),
      );
      return { cookies, verify: false };
    },
    async signIn(credentials, userAgent, requester) {
      checkDomain(credentials.email);
      return hashingQueue.run(requester, () => signIn(credentials, userAgent, requester));
    },
    async signOut(headers) {
      const session = await sessions.find(headers.get('cookie'));
      if (session) {
        const { id, accountId } = session;
        await commits.write((unitOfWork) => deleteSessions(unitOfWork, accountId, { id }), {
          accountId,
        });
      }
      return { cookies: [sessions.createRemovalCookie()] };
    },
    readSignUpLink(token) {
      const signUp = links.open(token);
      if (!signUp) throw new AppError('INVALID_LINK');
      return signUp;
    },
    verifyEmail: (signUp, password, userAgent, requester) =>
      hashingQueue.run(requester, async () => {
        const { email, passwordHash, movesFrom } = signUp;
        if (!(await hashing.verify(passwordHash, password))) throw new AppError('WRONG_PASSWORD');
        await (movesFrom === undefined ? confirmSignUp(signUp) : confirmMove(signUp, movesFrom));
        return signIn({ email, password }, userAgent, requester).catch((error: unknown) => {
          // The account has a different password by now.
          const isStale = error instanceof AppError && error.code === 'WRONG_CREDENTIALS';
          throw isStale ? new AppError('INVALID_LINK') : error;
        });
      }),
    hasSessionCookie: (headers) => sessions.hasCookie(headers.get('cookie')),
    authenticate,
    async refresh(headers) {
      const cookieHeader = headers.get('cookie');
      const session = await sessions.find(cookieHeader);
      if (!session) {
        return {
          account: null,
          cookies: sessions.hasCookie(cookieHeader) ? [sessions.createRemovalCookie()] : [],
        };
      }
      if (!hasAccess(session)) return { account: null, cookies: [] };
      const account = toAccount(session);
      if (!sessions.isRenewalDue(session)) return { account, cookies: [] };
      try {
        const cookie = await sessions.renew(session, cookieHeader);
        // The cookie stays: another tab may have signed in meanwhile.
        if (cookie === null) return { account: null, cookies: [] };
        await onSessionUsed(account.id);
        return { account, cookies: [cookie] };
      } catch (error) {
        // If nothing can be saved now, a later request extends the session.
        if (error instanceof AppError) return { account, cookies: [] };
        throw error;
      }
    },
  };
}

function toAccount({ accountId, email, id: sessionId, expiresAt }: FoundSession): Account {
  return { id: accountId, email, sessionId, expiresAt };
}
