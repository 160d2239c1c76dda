// Signing up, in and out, and who a request belongs to: every call of better-auth that we use.
import { isAPIError } from 'better-auth/api';
import { verify as readLink } from 'hono/jwt';
import { isUniversityEmail, wrongDomainMessage } from '#contract/email-address.ts';
import { Refusal, type ErrorCode } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import type { Reader } from '../storage/database.ts';
import { findPasswordHash } from '../storage/queries/accounts.ts';
import { findSession } from '../storage/queries/sessions.ts';
import type { Auth } from './auth.ts';
import { hashToken } from './hashed-tokens.ts';
import { checkNewPassword } from './password-rules.ts';
import type { PasswordWork } from './password-work.ts';
import { createSessionCookie } from './session-cookie.ts';

export interface Account {
  id: string;
  email: string;
  /** Of this sign-in: ends with it. */
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
  /** @throws {Refusal} WRONG_EMAIL_DOMAIN */
  checkDomain(email: string): void;
  /**
   * Where verification is required a taken address is answered as a new one.
   *
   * @throws {Refusal} WRONG_EMAIL_DOMAIN, EMAIL_TAKEN, PASSWORD_LENGTH, PASSWORD_COMMON, TOO_MANY
   */
  signUp(credentials: Credentials, userAgent: string): Promise<Cookies & { verify: boolean }>;
  /** @throws {Refusal} WRONG_EMAIL_DOMAIN, WRONG_CREDENTIALS, EMAIL_NOT_VERIFIED, TOO_MANY */
  signIn(credentials: Credentials, userAgent: string): Promise<Cookies>;
  signOut(headers: Headers): Promise<Cookies>;
  /**
   * By the mailed link and the password together, and signs in: whoever chose the password without
   * having the mailbox gets nowhere, nor does who has the mailbox and did not sign up.
   *
   * @throws {Refusal} INVALID_LINK, WRONG_PASSWORD, TOO_MANY
   */
  verifyEmail(token: string, password: string, userAgent: string): Promise<Cookies>;
  /** Who the request's cookie belongs to, or null. */
  accountOf(headers: Headers): Promise<Account | null>;
  /** The same, and a longer life for the session where it is due. */
  refresh(headers: Headers): Promise<Cookies & { account: Account | null }>;
}

interface Parts {
  auth: Auth;
  db: Reader;
  work: PasswordWork;
  rules: { emailDomains: readonly string[]; appName: string; verify: boolean };
  log: Log;
}

export async function createAccounts(parts: Parts): Promise<Accounts> {
  const { db, work, rules, log } = parts;
  const { api } = parts.auth;
  const { authCookies, secret, internalAdapter, password: hashing } = await parts.auth.$context;
  const sessionCookie = createSessionCookie(authCookies.sessionToken.name, secret);

  /** Our refusals for better-auth's; whatever else it throws stays an error of the server. */
  async function translated<Result>(call: Promise<Result>): Promise<Result> {
    try {
      return await call;
    } catch (error) {
      if (!isAPIError(error)) throw error;
      const code = refusals[String(error.body?.code)];
      if (code) throw new Refusal(code);
      log.error('auth.failed', { error });
      throw error.statusCode < 500 ? new Refusal('INVALID') : error;
    }
  }

  function checkDomain(email: string): void {
    if (isUniversityEmail(email, rules.emailDomains)) return;
    throw new Refusal('WRONG_EMAIL_DOMAIN', wrongDomainMessage(rules.emailDomains));
  }

  async function signIn(body: Credentials, userAgent: string): Promise<Cookies> {
    const checked = await findPasswordHash(db, body.email);
    const { headers, response } = await translated(
      api.signInEmail({ body, headers: deviceOnly(userAgent), returnHeaders: true }),
    );
    // Whoever sets another password ends the sessions that there are, and this one may have come after.
    if (checked !== (await findPasswordHash(db, body.email))) {
      await internalAdapter.deleteSession(response.token);
      throw new Refusal('WRONG_CREDENTIALS');
    }
    return { cookies: headers.getSetCookie() };
  }

  /** The address that the link was mailed to. @throws {Refusal} INVALID_LINK */
  async function addressOf(token: string): Promise<string> {
    try {
      return String((await readLink(token, secret, 'HS256'))['email']);
    } catch {
      throw new Refusal('INVALID_LINK');
    }
  }

  /** Where verification is required, also a session from before it was is worth nothing without. */
  const mayEnter = (account: { emailVerified: boolean }) => account.emailVerified || !rules.verify;

  return {
    checkDomain,
    async signUp({ email, password }, userAgent) {
      checkDomain(email);
      checkNewPassword(password, email, rules.appName);
      const body = { name: '', email, password };
      const { headers } = await work.run(() =>
        translated(api.signUpEmail({ body, headers: deviceOnly(userAgent), returnHeaders: true })),
      );
      return { cookies: headers.getSetCookie(), verify: rules.verify };
    },
    async signIn(credentials, userAgent) {
      checkDomain(credentials.email);
      return work.run(() => signIn(credentials, userAgent));
    },
    async signOut(requestHeaders) {
      const { headers } = await translated(
        api.signOut({ headers: requestHeaders, returnHeaders: true }),
      );
      return { cookies: headers.getSetCookie() };
    },
    async verifyEmail(token, password, userAgent) {
      const email = await addressOf(token);
      return work.run(async () => {
        const found = await internalAdapter.findUserByEmail(email, { includeAccounts: true });
        const hash = found?.accounts[0]?.password;
        if (!hash) throw new Refusal('INVALID_LINK');
        if (!(await hashing.verify({ hash, password }))) throw new Refusal('WRONG_PASSWORD');
        await translated(api.verifyEmail({ query: { token } }));
        return signIn({ email, password }, userAgent);
      });
    },
    // Not asked of better-auth, which takes a millisecond and a hundred kilobytes for each answer:
    // too much for every call, and for thousands of sockets that come back at once.
    async accountOf(headers) {
      const token = sessionCookie.tokenIn(headers.get('cookie'));
      const session = token === null ? null : await findSession(db, hashToken(token));
      if (!session || session.expiresAt.getTime() <= Date.now() || !mayEnter(session)) return null;
      const { accountId, email, id: sessionId, expiresAt } = session;
      return { id: accountId, email, sessionId, expiresAt };
    },
    async refresh(headers) {
      const found = await api.getSession({ headers, returnHeaders: true });
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

/** All that better-auth hears of the request. */
function deviceOnly(userAgent: string): Headers {
  return new Headers({ 'user-agent': userAgent });
}

const refusals: Record<string, ErrorCode> = {
  USER_ALREADY_EXISTS: 'EMAIL_TAKEN',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'EMAIL_TAKEN',
  FAILED_TO_CREATE_USER: 'EMAIL_TAKEN',
  INVALID_EMAIL_OR_PASSWORD: 'WRONG_CREDENTIALS',
  EMAIL_NOT_VERIFIED: 'EMAIL_NOT_VERIFIED',
  PASSWORD_TOO_LONG: 'PASSWORD_LENGTH',
  INVALID_TOKEN: 'INVALID_LINK',
  TOKEN_EXPIRED: 'INVALID_LINK',
  USER_NOT_FOUND: 'INVALID_LINK',
};
