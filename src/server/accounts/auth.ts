// better-auth, set up: passwords, sessions, resets and verification, in our own tables.
import { hash, verify } from '@node-rs/argon2';
import { betterAuth } from 'better-auth';
import type { Kysely } from 'kysely';
import { limits } from '#contract/limits.ts';
import type { Config } from '../config.ts';
import type { Mail } from '../mail/mail.ts';
import type { Tables } from '../storage/database.ts';
import { resetMail, verificationMail } from './account-mails.ts';

export interface AuthParts {
  config: Pick<Config, 'appName' | 'publicUrl' | 'emailVerification'>;
  db: Kysely<Tables>;
  engine: 'sqlite' | 'postgres';
  cookieSecret: string;
  postMail(mail: Mail): void;
  /** Every session of the account has ended. */
  onSessionsEnded(accountId: string): void;
}

/** OWASP's second choice for argon2id: 19 MiB, two passes. */
const argon2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const day = 86_400;

export type Auth = ReturnType<typeof createAuth>;

export function createAuth(parts: AuthParts) {
  const { config, postMail } = parts;
  const origin = config.publicUrl.origin;

  return betterAuth({
    baseURL: origin,
    secret: parts.cookieSecret,
    telemetry: { enabled: false },
    // Its messages quote addresses; what matters of them reaches our own log as an error.
    logger: { disabled: true },
    database: { db: parts.db, type: parts.engine },
    user: { modelName: 'accounts' },
    account: { modelName: 'credentials' },
    verification: { modelName: 'verifications' },
    session: {
      modelName: 'sessions',
      expiresIn: 30 * day,
      updateAge: day,
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.passwordMin,
      maxPasswordLength: limits.passwordMax,
      requireEmailVerification: config.emailVerification === 'required',
      revokeSessionsOnPasswordReset: true,
      password: {
        hash: (password) => hash(password, argon2),
        verify: ({ hash: stored, password }) => verify(stored, password),
      },
      sendResetPassword: async ({ user, token }) =>
        postMail(resetMail(user.email, config.appName, origin, token)),
      onPasswordReset: async ({ user }) => parts.onSessionsEnded(user.id),
    },
    emailVerification: {
      sendOnSignUp: config.emailVerification === 'required',
      sendOnSignIn: config.emailVerification === 'required',
      sendVerificationEmail: async ({ user, token }) =>
        postMail(verificationMail(user.email, config.appName, origin, token)),
    },
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: 'backchannel',
      useSecureCookies: config.publicUrl.protocol === 'https:',
      ipAddress: { disableIpTracking: true },
    },
    databaseHooks: {
      user: {
        create: { before: async (user) => ({ data: { ...user, ...coarseTimes() } }) },
        update: { before: async (user) => ({ data: { ...user, updatedAt: today() } }) },
      },
      account: {
        create: { before: async (credential) => ({ data: { ...credential, ...coarseTimes() } }) },
        update: { before: async (credential) => ({ data: { ...credential, updatedAt: today() } }) },
      },
      session: {
        create: {
          before: async (session) => ({
            data: {
              ...session,
              ...coarseTimes(),
              expiresAt: startOfDay(session.expiresAt),
              userAgent: null,
              ipAddress: null,
            },
          }),
        },
        update: {
          before: async (session) => ({
            data: {
              ...session,
              updatedAt: today(),
              ...(session.expiresAt ? { expiresAt: startOfDay(session.expiresAt) } : {}),
            },
          }),
        },
      },
    },
  });
}

/** Times of accounts are kept to the day: finer ones would match those of a room's messages. */
function coarseTimes() {
  return { createdAt: today(), updatedAt: today() };
}

function today(): Date {
  return startOfDay(new Date());
}

function startOfDay(time: Date): Date {
  return new Date(Math.floor(time.getTime() / (day * 1000)) * day * 1000);
}
