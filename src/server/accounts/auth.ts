// Configures better-auth: passwords, sessions and resets in the project's own tables.
import { hash, verify } from '@node-rs/argon2';
import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { getAdapter } from 'better-auth/db/adapter';
import type { Kysely } from 'kysely';
import { limits } from '#contract/limits.ts';
import type { Config } from '../config.ts';
import { startOfDay } from '../days.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Tables } from '../storage/database.ts';
import { withCommittedWrites } from './committed-writes.ts';
import { deviceName } from './device-name.ts';
import { withHashedTokens } from './hashed-tokens.ts';

export interface AuthParts {
  config: Pick<Config, 'publicUrl' | 'emailVerification'>;
  db: Kysely<Tables>;
  commits: CommitQueue;
  engine: 'sqlite' | 'postgres';
  cookieSecret: string;
  mailboxKeyOf(email: string): string;
  /** Called when a session ends, for any reason. */
  onSessionEnded(accountId: string, sessionId: string): void;
  /** Called for each sign-in and each renewal of a session. */
  onSessionUsed(accountId: string): Promise<void>;
}

/** OWASP's second recommended argon2id configuration: 19 MiB, two passes. */
const argon2 = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const day = 86_400;

export type Auth = Awaited<ReturnType<typeof createAuth>>;

export async function createAuth(parts: AuthParts) {
  const { config } = parts;
  const origin = config.publicUrl.origin;
  const https = config.publicUrl.protocol === 'https:';

  const options = {
    baseURL: origin,
    secret: parts.cookieSecret,
    telemetry: { enabled: false },
    // better-auth's log messages quote e-mail addresses. The server logs the relevant errors itself.
    logger: { disabled: true },
    database: { db: parts.db, type: parts.engine },
    user: {
      modelName: 'accounts',
      additionalFields: { mailboxKey: { type: 'string', required: false, input: false } },
    },
    account: { modelName: 'credentials' },
    verification: { modelName: 'verifications', storeIdentifier: 'hashed' },
    session: {
      modelName: 'sessions',
      additionalFields: { device: { type: 'string', required: false, input: false } },
      expiresIn: 30 * day,
      updateAge: day,
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.passwordMin,
      maxPasswordLength: limits.passwordMax,
      requireEmailVerification: config.emailVerification === 'required',
      password: {
        hash: (password) => hash(password, argon2),
        verify: ({ hash: stored, password }) => verify(stored, password),
      },
    },
    rateLimit: { enabled: false },
    advanced: {
      // Browsers accept a `__Host-` cookie only over https and from this exact host.
      cookiePrefix: https ? '__Host-backchannel' : 'backchannel',
      useSecureCookies: false,
      defaultCookieAttributes: { secure: https },
      ipAddress: { disableIpTracking: true },
    },
    databaseHooks: {
      user: {
        create: {
          before: async (user) => ({
            data: { ...user, ...coarseTimes(), mailboxKey: parts.mailboxKeyOf(user.email) },
          }),
        },
        update: { before: async (user) => ({ data: { ...user, updatedAt: startOfDay() } }) },
      },
      account: {
        create: { before: async (credential) => ({ data: { ...credential, ...coarseTimes() } }) },
        update: {
          before: async (credential) => ({ data: { ...credential, updatedAt: startOfDay() } }),
        },
      },
      verification: {
        create: { before: async (link) => ({ data: { ...link, ...coarseTimes() } }) },
      },
      session: {
        create: {
          before: async (session) => ({
            data: {
              ...session,
              ...coarseTimes(),
              expiresAt: startOfDay(session.expiresAt),
              device: deviceName(session.userAgent ?? ''),
              userAgent: null,
              ipAddress: null,
            },
          }),
          after: async (session) => parts.onSessionUsed(session.userId),
        },
        delete: { after: async (session) => parts.onSessionEnded(session.userId, session.id) },
        update: {
          before: async (session) => ({
            data: {
              ...session,
              updatedAt: startOfDay(),
              ...(session.expiresAt ? { expiresAt: startOfDay(session.expiresAt) } : {}),
            },
          }),
          after: async (session) => parts.onSessionUsed(session.userId),
        },
      },
    },
  } satisfies BetterAuthOptions;

  const committed = withCommittedWrites({
    adapter: await getAdapter(options),
    adapterOn: (db) => getAdapter({ ...options, database: { db, type: parts.engine } }),
    commits: parts.commits,
  });
  const adapter = withHashedTokens(committed);

  return betterAuth({ ...options, database: () => adapter });
}

/**
 * Account times are stored as days. Finer times could be matched with the times of a room's messages.
 */
function coarseTimes() {
  return { createdAt: startOfDay(), updatedAt: startOfDay() };
}
