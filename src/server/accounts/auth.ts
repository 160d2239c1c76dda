// Configures better-auth: passwords, sessions and resets in the project's own tables.
import type { KeyObject } from 'node:crypto';
import { betterAuth, type BetterAuthOptions } from 'better-auth';
import { getAdapter } from 'better-auth/db/adapter';
import type { Kysely } from 'kysely';
import { limits } from '#contract/limits.ts';
import type { Config } from '#server/config/config-types.ts';
import { startOfDay } from '#server/base/days.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Tables } from '#server/store/tables.ts';
import { withCommittedWrites } from './committed-writes.ts';
import { deviceName } from './device-name.ts';
import { withHashedTokens } from './hashed-tokens.ts';
import { hashPassword, verifyPassword, type passwordCost } from './sealed-passwords.ts';
import { withSealedTimes } from './sealed-times.ts';

export interface AuthParts {
  config: Pick<Config, 'publicUrl' | 'emailVerification'>;
  db: Kysely<Tables>;
  commits: CommitQueue;
  engine: 'sqlite' | 'postgres';
  cookieSecret: string;
  timesKey: KeyObject;
  passwordsKey: KeyObject;
  mailboxKeyOf(email: string): string;
  passwordCost: typeof passwordCost;
  /** Called for each sign-in and each renewal of a session. */
  onSessionUsed(accountId: string): Promise<void>;
}

const day = 86_400;

/** A column of our own. */
const storedText = { type: 'string', required: false, input: false } as const;

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
      additionalFields: { mailboxKey: storedText, times: storedText },
    },
    account: { modelName: 'credentials' },
    verification: {
      modelName: 'verifications',
      storeIdentifier: 'hashed',
      additionalFields: { times: storedText },
      // Its search for old links reads the columns. `resealAccounts` deletes them.
      disableCleanup: true,
    },
    session: {
      modelName: 'sessions',
      additionalFields: { device: storedText, times: storedText },
      expiresIn: 30 * day,
      updateAge: day,
    },
    emailAndPassword: {
      enabled: true,
      minPasswordLength: limits.passwordMin,
      maxPasswordLength: limits.passwordMax,
      requireEmailVerification: config.emailVerification === 'required',
      password: {
        hash: (password) => hashPassword(parts.passwordsKey, parts.passwordCost, password),
        verify: ({ hash, password }) => verifyPassword(parts.passwordsKey, hash, password),
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
            data: {
              ...user,
              createdAt: startOfDay(),
              mailboxKey: parts.mailboxKeyOf(user.email),
            },
          }),
        },
      },
      verification: {
        create: { before: async (link) => ({ data: { ...link, createdAt: startOfDay() } }) },
      },
      session: {
        create: {
          before: async (session) => ({
            data: {
              ...session,
              createdAt: startOfDay(),
              expiresAt: startOfDay(session.expiresAt),
              device: deviceName(session.userAgent ?? ''),
              userAgent: null,
              ipAddress: null,
            },
          }),
          after: async (session) => parts.onSessionUsed(session.userId),
        },
        update: {
          before: async (session) => ({
            data: {
              ...session,
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
  const adapter = withHashedTokens(withSealedTimes(committed, parts.timesKey));

  return betterAuth({ ...options, database: () => adapter });
}
