// Sign-up, sign-in, sign-out and session lookup, on top of better-auth.
import { isAPIError } from 'better-auth/api';
import { isUniversityEmail, wrongDomainMessage } from '#contract/email-address.ts';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { startOfDay } from '../days.ts';
import type { Network } from '../limits/client-addresses.ts';
import type { Log } from '../log.ts';
import type { EnqueueMail } from '../mail/mail-queue.ts';
import type { Mail } from '../mail/mail-transport.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  addAccount,
  findAccount,
  markVerified,
  setPassword,
  revokeLinks,
} from '../storage/queries/accounts.ts';
import { deleteSessions, findSession } from '../storage/queries/sessions.ts';
import type { UnitOfWork } from '../storage/unit-of-work.ts';
import { signUpAgainMail, verificationMail } from './account-mails.ts';
import type { Auth } from './auth.ts';
import { hashToken } from './hashed-tokens.ts';
import { checkNewPassword } from './password-rules.ts';
import type { HashingQueue, Requester } from './hashing-queue.ts';
import { enforceSessionLimit } from './session-limit.ts';
import { createSessionCookie } from './cookies.ts';
import { signUpLinkMs, type PendingSignUp, type SignUpLinks } from './sign-up-links.ts';

export interface Account {
  id: string;
  email: string;
  /** The id of the session that authenticates the request. */
  sessionId: string;
  expiresAt: Date;
}

/** Cookies for the browser, as `Set-Cookie` values. */
export interface Cookies {
  cookies: string[];
}

interface Credentials {
  email: string;
  password: string;
}

export interface Accounts {
  /** @throws {AppError} WRONG_EMAIL_DOMAIN */
  checkDomain(email: string): void;
  /**
   * If verification is required, a taken address gets the same answer as a new one.
   *
   * @throws {AppError} WRONG_EMAIL_DOMAIN, EMAIL_TAKEN, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
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
   * @throws {AppError} INVALID_LINK, WRONG_PASSWORD, TOO_MANY
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
  accountOf(cookies: string | null): Promise<Account | null>;
  /** Like `accountOf`, and extends the session if its renewal is due. */
  refresh(headers: Headers): Promise<Cookies & { account: Account | null }>;
}

interface Parts {
  auth: Auth;
  db: Database;
  commits: CommitQueue;
  hashingQueue: HashingQueue;
  links: SignUpLinks;
  rules: {
    emailDomains: readonly string[];
    appName: string;
    origin: string;
    isVerificationRequired: boolean;
  };
  mailboxKeyOf(email: string): string;
  /** Gives an account another address, ends its sessions and tells the old one. @throws {AppError} */
  moveAddress(unitOfWork: UnitOfWork, from: string, to: string): Promise<void>;
  /** @throws {AppError} TOO_MANY if these networks have caused too many link mails to the address */
  checkMaySendLink(email: string, networks: readonly Network[]): void;
  enqueueMail: EnqueueMail;
  onSessionEnded(accountId: string, sessionId: string): void;
  log: Log;
}

export async function createAccounts(parts: Parts): Promise<Accounts> {
  const { db, commits, hashingQueue, links, rules, enqueueMail, log } = parts;
  const { api } = parts.auth;
  const { authCookies, secret, internalAdapter, password: hashing } = await parts.auth.$context;
  const sessionCookie = createSessionCookie(authCookies.sessionToken.name, secret);

  /** Maps better-auth's API errors to AppErrors. Every other error is rethrown. */
  async function translateErrors<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      if (!isAPIError(error)) throw error;
      const code = errorCodes[String(error.body?.code)];
      if (code) throw new AppError(code);
      log.error('auth.failed', { error });
      throw error.statusCode < 500 ? new AppError('INVALID') : error;
    }
  }

  function checkDomain(email: string): void {
    if (isUniversityEmail(email, rules.emailDomains)) return;
    throw new AppError('WRONG_EMAIL_DOMAIN', wrongDomainMessage(rules.emailDomains));
  }

  const identityOf = (email: string) => ({ email, mailboxKey: parts.mailboxKeyOf(email) });

  async function signIn(
    credentials: Credentials,
    userAgent: string,
    requester: Requester,
  ): Promise<Cookies> {
    const found = await findAccount(db, identityOf(credentials.email));
    const { email = credentials.email, passwordHash = null } = found ?? {};
    const { headers, response } = await translateErrors(
      api.signInEmail({
        body: { email, password: credentials.password },
        headers: userAgentHeaders(userAgent),
        returnHeaders: true,
      }),
    ).catch(async (error: unknown) => {
      const unverified = error instanceof AppError && error.code === 'EMAIL_NOT_VERIFIED';
      if (unverified && passwordHash) await sendLink(linkMail({ email, passwordHash }), requester);
      throw error;
    });
    // A password change ends only the sessions that exist at that time. If the password has changed
    // since the lookup, this new session must end too.
    if (passwordHash !== (await findAccount(db, identityOf(email)))?.passwordHash) {
      await internalAdapter.deleteSession(response.token);
      throw new AppError('WRONG_CREDENTIALS');
    }
    await enforceSessionLimit(parts, response.user.id, response.token);
    return { cookies: headers.getSetCookie() };
  }

  const linkMail = (signUp: PendingSignUp) =>
    verificationMail(signUp.email, rules.appName, rules.origin, links.seal(signUp));

  /** If the network has caused too many, the answer stays the same. */
  async function sendLink(mail: Mail, { networks = [] }: Requester): Promise<void> {
    try {
      parts.checkMaySendLink(mail.to, networks);
    } catch (error) {
      if (error instanceof AppError) return;
      throw error;
    }
    await enqueueMail(mail, Date.now() + signUpLinkMs);
  }

  /** Stores no account. Known and unknown addresses cost the same: one hash, one query and one mail. */
  async function sendSignUpMail(
    { email, password }: Credentials,
    requester: Requester,
  ): Promise<void> {
    const passwordHash = await hashing.hash(password);
    const link = linkMail({ email: email.toLowerCase(), passwordHash });
    const found = await findAccount(db, identityOf(email));
    const owner = found?.emailVerified ? found.email : null;
    await sendLink(owner ? signUpAgainMail(owner, rules.appName, rules.origin) : link, requester);
  }

  /**
   * Creates the account if none exists. An unverified account gets the link's password, and all its
   * sessions end. A verified account does not change.
   */
  async function confirmSignUp({ email, passwordHash }: PendingSignUp): Promise<void> {
    const signedOut = await commits.write(async (unitOfWork) => {
      const found = await findAccount(unitOfWork.db, identityOf(email));
      if (!found) await addAccount(unitOfWork.db, identityOf(email), passwordHash, startOfDay());
      if (!found || found.emailVerified) return null;
      await setPassword(unitOfWork.db, found.id, passwordHash);
      await markVerified(unitOfWork.db, found.id);
      await revokeLinks(unitOfWork.db, found.id);
      return { id: found.id, sessions: await deleteSessions(unitOfWork.db, found.id, 'all') };
    });
    if (!signedOut) return;
    for (const sessionId of signedOut.sessions) parts.onSessionEnded(signedOut.id, sessionId);
  }

  /** The password proves that the new mailbox belongs to the owner of the account: no operator can take it over. ADMIN-50 */
  async function confirmMove({ email, passwordHash }: PendingSignUp, from: string): Promise<void> {
    await commits.write(async (unitOfWork) => {
      const found = await findAccount(unitOfWork.db, identityOf(from));
      if (found?.email !== from || found.passwordHash !== passwordHash) {
        throw new AppError('INVALID_LINK');
      }
      await parts.moveAddress(unitOfWork, from, email);
    });
  }

  /**
   * If verification is required, sessions of unverified accounts are rejected, however old they are.
   */
  const hasAccess = (account: { emailVerified: boolean }) =>
    account.emailVerified || !rules.isVerificationRequired;

  // better-auth takes a millisecond and 100 KB per lookup. That is too slow for every call and for
  // thousands of sockets that reconnect together.
  async function accountOf(cookies: string | null): Promise<Account | null> {
    const token = sessionCookie.readToken(cookies);
    const session = token === null ? null : await findSession(db, hashToken(token));
    if (!session || session.expiresAt.getTime() <= Date.now() || !hasAccess(session)) return null;
    const { accountId, email, id: sessionId, expiresAt } = session;
    return { id: accountId, email, sessionId, expiresAt };
  }

  return {
    checkDomain,
    async signUp({ email, password }, userAgent, requester) {
      checkDomain(email);
      checkNewPassword(password, email, rules.appName);
      if (rules.isVerificationRequired) {
        await hashingQueue.run(requester, () => sendSignUpMail({ email, password }, requester));
        return { cookies: [], verify: true };
      }
      const body = { name: '', email, password };
      const { headers } = await hashingQueue.run(requester, async () => {
        if (await findAccount(db, identityOf(email))) throw new AppError('EMAIL_TAKEN');
        return translateErrors(
          api.signUpEmail({ body, headers: userAgentHeaders(userAgent), returnHeaders: true }),
        );
      });
      return { cookies: headers.getSetCookie(), verify: false };
    },
    async signIn(credentials, userAgent, requester) {
      checkDomain(credentials.email);
      return hashingQueue.run(requester, () => signIn(credentials, userAgent, requester));
    },
    async signOut(requestHeaders) {
      // If better-auth cannot delete the session, it hides the error and only clears the cookie. So the
      // session is deleted here first.
      const token = sessionCookie.readToken(requestHeaders.get('cookie'));
      const session = token === null ? null : await findSession(db, hashToken(token));
      if (token !== null && session) await internalAdapter.deleteSession(token);
      const { headers } = await translateErrors(
        api.signOut({ headers: requestHeaders, returnHeaders: true }),
      );
      return { cookies: headers.getSetCookie() };
    },
    readSignUpLink(token) {
      const signUp = links.open(token);
      if (!signUp) throw new AppError('INVALID_LINK');
      return signUp;
    },
    verifyEmail: (signUp, password, userAgent, requester) =>
      hashingQueue.run(requester, async () => {
        const { email, passwordHash: hash, movesFrom } = signUp;
        if (!(await hashing.verify({ hash, password }))) throw new AppError('WRONG_PASSWORD');
        await (movesFrom === undefined ? confirmSignUp(signUp) : confirmMove(signUp, movesFrom));
        return signIn({ email, password }, userAgent, requester).catch((error: unknown) => {
          // The account has a different password by now.
          const isStale = error instanceof AppError && error.code === 'WRONG_CREDENTIALS';
          throw isStale ? new AppError('INVALID_LINK') : error;
        });
      }),
    hasSessionCookie: (headers) => sessionCookie.readToken(headers.get('cookie')) !== null,
    accountOf,
    async refresh(headers) {
      const found = await api.getSession({ headers, returnHeaders: true }).catch(() => null);
      // If the session cannot be extended now, a later request extends it.
      if (!found) return { account: await accountOf(headers.get('cookie')), cookies: [] };
      const session = found.response && hasAccess(found.response.user) ? found.response : null;
      return { account: session && toAccount(session), cookies: found.headers.getSetCookie() };
    },
  };
}

interface Found {
  user: { id: string; email: string };
  session: { id: string; expiresAt: Date };
}

function toAccount({ user, session }: Found): Account {
  const { id: sessionId, expiresAt } = session;
  return { id: user.id, email: user.email, sessionId, expiresAt };
}

/** better-auth receives only the User-Agent header of the request. */
function userAgentHeaders(userAgent: string): Headers {
  return new Headers({ 'user-agent': userAgent });
}

const errorCodes: Record<string, ErrorCode> = {
  USER_ALREADY_EXISTS: 'EMAIL_TAKEN',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'EMAIL_TAKEN',
  INVALID_EMAIL_OR_PASSWORD: 'WRONG_CREDENTIALS',
  EMAIL_NOT_VERIFIED: 'EMAIL_NOT_VERIFIED',
  PASSWORD_TOO_LONG: 'PASSWORD_LENGTH',
};
