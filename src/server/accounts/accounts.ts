// What the server offers of accounts: every call of better-auth that we use, and no other.
import { isAPIError } from 'better-auth/api';
import { isUniversityEmail, wrongDomainMessage } from '#contract/email-address.ts';
import { Refusal, type ErrorCode } from '#contract/errors.ts';
import type { Log } from '../log.ts';
import type { Reader } from '../storage/database.ts';
import { findSession } from '../storage/queries/sessions.ts';
import type { Auth } from './auth.ts';
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
  /** @throws {Refusal} WRONG_EMAIL_DOMAIN, EMAIL_TAKEN, PASSWORD_LENGTH */
  signUp(credentials: Credentials): Promise<Cookies & { verify: boolean }>;
  /** @throws {Refusal} WRONG_EMAIL_DOMAIN, WRONG_CREDENTIALS, EMAIL_NOT_VERIFIED */
  signIn(credentials: Credentials): Promise<Cookies>;
  signOut(headers: Headers): Promise<Cookies>;
  /** Answers alike for known and unknown addresses. @throws {Refusal} WRONG_EMAIL_DOMAIN */
  requestPasswordReset(email: string): Promise<void>;
  /** @throws {Refusal} INVALID_LINK, PASSWORD_LENGTH */
  resetPassword(token: string, newPassword: string): Promise<void>;
  /** @throws {Refusal} INVALID_LINK */
  verifyEmail(token: string): Promise<void>;
  /** Who the request's cookie belongs to, or null. */
  accountOf(headers: Headers): Promise<Account | null>;
  /** The same, and a longer life for the session where it is due. */
  refresh(headers: Headers): Promise<Cookies & { account: Account | null }>;
}

export async function createAccounts(
  auth: Auth,
  db: Reader,
  rules: { emailDomain: string; verify: boolean },
  log: Log,
): Promise<Accounts> {
  const { api } = auth;
  const { authCookies, secret } = await auth.$context;
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
    if (isUniversityEmail(email, rules.emailDomain)) return;
    throw new Refusal('WRONG_EMAIL_DOMAIN', wrongDomainMessage(rules.emailDomain));
  }

  return {
    async signUp({ email, password }) {
      checkDomain(email);
      const { headers } = await translated(
        api.signUpEmail({ body: { name: '', email, password }, returnHeaders: true }),
      );
      return { cookies: headers.getSetCookie(), verify: rules.verify };
    },
    async signIn({ email, password }) {
      checkDomain(email);
      const { headers } = await translated(
        api.signInEmail({ body: { email, password }, returnHeaders: true }),
      );
      return { cookies: headers.getSetCookie() };
    },
    async signOut(requestHeaders) {
      const { headers } = await translated(
        api.signOut({ headers: requestHeaders, returnHeaders: true }),
      );
      return { cookies: headers.getSetCookie() };
    },
    async requestPasswordReset(email) {
      checkDomain(email);
      await translated(api.requestPasswordReset({ body: { email } }));
    },
    async resetPassword(token, newPassword) {
      await translated(api.resetPassword({ body: { token, newPassword } }));
    },
    async verifyEmail(token) {
      await translated(api.verifyEmail({ query: { token } }));
    },
    // Not asked of better-auth, which takes a millisecond and a hundred kilobytes for each answer:
    // too much for every call, and for thousands of sockets that come back at once.
    async accountOf(headers) {
      const token = sessionCookie.tokenIn(headers.get('cookie'));
      const session = token === null ? null : await findSession(db, token);
      if (!session || session.expiresAt.getTime() <= Date.now()) return null;
      const { accountId, email, id: sessionId, expiresAt } = session;
      return { id: accountId, email, sessionId, expiresAt };
    },
    async refresh(headers) {
      const found = await api.getSession({ headers, returnHeaders: true });
      return {
        account: found.response && toAccount(found.response),
        cookies: found.headers.getSetCookie(),
      };
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

const refusals: Record<string, ErrorCode> = {
  USER_ALREADY_EXISTS: 'EMAIL_TAKEN',
  USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL: 'EMAIL_TAKEN',
  FAILED_TO_CREATE_USER: 'EMAIL_TAKEN',
  INVALID_EMAIL_OR_PASSWORD: 'WRONG_CREDENTIALS',
  EMAIL_NOT_VERIFIED: 'EMAIL_NOT_VERIFIED',
  PASSWORD_TOO_SHORT: 'PASSWORD_LENGTH',
  PASSWORD_TOO_LONG: 'PASSWORD_LENGTH',
  INVALID_TOKEN: 'INVALID_LINK',
  TOKEN_EXPIRED: 'INVALID_LINK',
  USER_NOT_FOUND: 'INVALID_LINK',
};
