// Sign-up, sign-in, sign-out and session lookup, on top of better-auth.
import { isAPIError } from 'better-auth/api';
import { isUniversityEmail, wrongDomainMessage } from '#contract/email-address.ts';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import type { EnqueueMail } from '../mail/mail-queue.ts';
import type { Mail } from '../mail/mail.ts';
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
import { signUpAgainMail, verificationMail } from './account-mails.ts';
import { today, type Auth } from './auth.ts';
import { hashToken } from './hashed-tokens.ts';
import { checkNewPassword } from './password-rules.ts';
import type { PasswordWork, Turn } from './password-work.ts';
import { endSurplusSessions } from './session-cap.ts';
import { createSessionCookie } from './session-cookie.ts';
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
    turn: Turn,
  ): Promise<Cookies & { verify: boolean }>;
  /** @throws {AppError} WRONG_EMAIL_DOMAIN, WRONG_CREDENTIALS, EMAIL_NOT_VERIFIED, TOO_MANY */
  signIn(credentials: Credentials, userAgent: string, turn: Turn): Promise<Cookies>;
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
    turn: Turn,
  ): Promise<Cookies>;
  /** Returns the account of the request's session cookie, or null. */
  accountOf(headers: Headers): Promise<Account | null>;
  /** Like `accountOf`, and extends the session if its renewal is due. */
  refresh(headers: Headers): Promise<Cookies & { account: Account | null }>;
}

interface Parts {
  auth: Auth;
  db: Database;
  commits: CommitQueue;
  work: PasswordWork;
  links: SignUpLinks;
  rules: { emailDomains: readonly string[]; appName: string; origin: string; verify: boolean };
  mailboxKeyOf(email: string): string;
  /** Whether this network may trigger another link mail to the address. */
  maySendLink(email: string, network: string): boolean;
  enqueueMail: EnqueueMail;
  onSessionEnded(accountId: string, sessionId: string): void;
  log: Log;
}

export async function createAccounts(parts: Parts): Promise<Accounts> {
  const { db, commits, work, links, rules, enqueueMail, log } = parts;
  const { api } = parts.auth;
  const { authCookies, secret, internalAdapter, password: hashing } = await parts.auth.$context;
  const sessionCookie = createSessionCookie(authCookies.sessionToken.name, secret);

  /** Maps better-auth's API errors to AppErrors. Every other error is rethrown. */
  async function translated<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      if (!isAPIError(error)) throw error;
      const code = refusals[String(error.body?.code)];
      if (code) throw new AppError(code);
      log.error('auth.failed', { error });
      throw error.statusCode < 500 ? new AppError('INVALID') : error;
    }
  }

  function checkDomain(email: string): void {
    if (isUniversityEmail(email, rules.emailDomains)) return;
    throw new AppError('WRONG_EMAIL_DOMAIN', wrongDomainMessage(rules.emailDomains));
  }

  const addressOf = (email: string) => ({ email, mailboxKey: parts.mailboxKeyOf(email) });

  async function signIn(typed: Credentials, userAgent: string, turn: Turn): Promise<Cookies> {
    const found = await findAccount(db, addressOf(typed.email));
    const { email = typed.email, passwordHash = null } = found ?? {};
    const { headers, response } = await translated(
      api.signInEmail({
        body: { email, password: typed.password },
        headers: deviceOnly(userAgent),
        returnHeaders: true,
      }),
    ).catch(async (error: unknown) => {
      const unverified = error instanceof AppError && error.code === 'EMAIL_NOT_VERIFIED';
      if (unverified && passwordHash) await send(linkMail({ email, passwordHash }), turn);
      throw error;
    });
    // A password change ends only the sessions that exist at that time. If the password has changed
    // since the lookup, this new session must end too.
    if (passwordHash !== (await findAccount(db, addressOf(email)))?.passwordHash) {
      await internalAdapter.deleteSession(response.token);
      throw new AppError('WRONG_CREDENTIALS');
    }
    await endSurplusSessions(parts, response.user.id, response.token);
    return { cookies: headers.getSetCookie() };
  }

  const linkMail = (signUp: PendingSignUp) =>
    verificationMail(signUp.email, rules.appName, rules.origin, links.seal(signUp));

  async function send(mail: Mail, { network }: Turn): Promise<void> {
    if (parts.maySendLink(mail.to, network)) await enqueueMail(mail, Date.now() + signUpLinkMs);
  }

  /** Stores no account. Known and unknown addresses cost the same: one hash, one query and one mail. */
  async function mailSignUp({ email, password }: Credentials, turn: Turn): Promise<void> {
    const passwordHash = await hashing.hash(password);
    const link = linkMail({ email: email.toLowerCase(), passwordHash });
    const found = await findAccount(db, addressOf(email));
    const owner = found?.emailVerified ? found.email : null;
    await send(owner ? signUpAgainMail(owner, rules.appName, rules.origin) : link, turn);
  }

  /**
   * Creates the account if none exists. An unverified account gets the link's password, and all its
   * sessions end. A verified account does not change.
   */
  async function confirmSignUp({ email, passwordHash }: PendingSignUp): Promise<void> {
    const signedOut = await commits.write(async (write) => {
      const found = await findAccount(write.db, addressOf(email));
      if (!found) await addAccount(write.db, addressOf(email), passwordHash, today());
      if (!found || found.emailVerified) return null;
      await setPassword(write.db, found.id, passwordHash);
      await markVerified(write.db, found.id);
      await revokeLinks(write.db, found.id);
      return { id: found.id, sessions: await deleteSessions(write.db, found.id, 'all') };
    });
    if (!signedOut) return;
    for (const sessionId of signedOut.sessions) parts.onSessionEnded(signedOut.id, sessionId);
  }

  /**
   * If verification is required, sessions of unverified accounts are rejected, however old they are.
   */
  const mayEnter = (account: { emailVerified: boolean }) => account.emailVerified || !rules.verify;

  // better-auth takes a millisecond and 100 KB per lookup. That is too slow for every call and for
  // thousands of sockets that reconnect together.
  async function accountOf(headers: Headers): Promise<Account | null> {
    const token = sessionCookie.tokenIn(headers.get('cookie'));
    const session = token === null ? null : await findSession(db, hashToken(token));
    if (!session || session.expiresAt.getTime() <= Date.now() || !mayEnter(session)) return null;
    const { accountId, email, id: sessionId, expiresAt } = session;
    return { id: accountId, email, sessionId, expiresAt };
  }

  return {
    checkDomain,
    async signUp({ email, password }, userAgent, turn) {
      checkDomain(email);
      checkNewPassword(password, email, rules.appName);
      if (rules.verify) {
        await work.run(turn, () => mailSignUp({ email, password }, turn));
        return { cookies: [], verify: true };
      }
      const body = { name: '', email, password };
      const { headers } = await work.run(turn, async () => {
        if (await findAccount(db, addressOf(email))) throw new AppError('EMAIL_TAKEN');
        return translated(
          api.signUpEmail({ body, headers: deviceOnly(userAgent), returnHeaders: true }),
        );
      });
      return { cookies: headers.getSetCookie(), verify: false };
    },
    async signIn(credentials, userAgent, turn) {
      checkDomain(credentials.email);
      return work.run(turn, () => signIn(credentials, userAgent, turn));
    },
    async signOut(requestHeaders) {
      // If better-auth cannot delete the session, it hides the error and only clears the cookie. So the
      // session is deleted here first.
      const token = sessionCookie.tokenIn(requestHeaders.get('cookie'));
      const session = token === null ? null : await findSession(db, hashToken(token));
      if (token !== null && session) await internalAdapter.deleteSession(token);
      const { headers } = await translated(
        api.signOut({ headers: requestHeaders, returnHeaders: true }),
      );
      return { cookies: headers.getSetCookie() };
    },
    readSignUpLink(token) {
      const signUp = links.open(token);
      if (!signUp) throw new AppError('INVALID_LINK');
      return signUp;
    },
    verifyEmail: (signUp, password, userAgent, turn) =>
      work.run(turn, async () => {
        const { email, passwordHash: hash } = signUp;
        if (!(await hashing.verify({ hash, password }))) throw new AppError('WRONG_PASSWORD');
        await confirmSignUp(signUp);
        return signIn({ email, password }, userAgent, turn).catch((error: unknown) => {
          // The account has a different password by now.
          const late = error instanceof AppError && error.code === 'WRONG_CREDENTIALS';
          throw late ? new AppError('INVALID_LINK') : error;
        });
      }),
    accountOf,
    async refresh(headers) {
      const found = await api.getSession({ headers, returnHeaders: true }).catch(() => null);
      // If the session cannot be extended now, a later request extends it.
      if (!found) return { account: await accountOf(headers), cookies: [] };
      const known = found.response && mayEnter(found.response.user) ? found.response : null;
      return { account: known && toAccount(known), cookies: found.headers.getSetCookie() };
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
function deviceOnly(userAgent: string): Headers {
  return new Headers({ 'user-agent': userAgent });
}

const refusals: Record<string, ErrorCode> = {
  USER_ALREADY_EXISTS: 'EMAIL_TAKEN',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'EMAIL_TAKEN',
  INVALID_EMAIL_OR_PASSWORD: 'WRONG_CREDENTIALS',
  EMAIL_NOT_VERIFIED: 'EMAIL_NOT_VERIFIED',
  PASSWORD_TOO_LONG: 'PASSWORD_LENGTH',
};
