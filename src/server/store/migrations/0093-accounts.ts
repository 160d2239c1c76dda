import { createHmac, type KeyObject } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { createRandomId } from '#server/base/random-id.ts';
import { getToday, toDay } from '#server/base/days.ts';
import { sealRecord, seal } from '#server/base/seal.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { unsealText } from './0090-registers.ts';
import type { EngineTypes } from './engine-types.ts';

const accountBytes = 824;
const sessionBytes = 164;
const pushBytes = 1024;

interface EarlierAccount {
  id: string;
  email: string;
  emailVerified: boolean | number;
  mailboxKey: string | null;
  signOnKey: string | null;
  times: string | null;
  createdAt: string | Date;
  lastUse: string | null;
  notifications: string | null;
  password: string | null;
}

interface EarlierSession {
  id: string;
  token: string;
  userId: string;
  device: string | null;
  times: string | null;
  createdAt: string | Date;
  expiresAt: string | Date;
  push: string | null;
}

/** Encrypts accounts with their passwords, and sessions. Without the key, no one can open them, so all are deleted. */
export async function up(db: Kysely<unknown>, types: EngineTypes, keys: ServerKeys | null) {
  const { rows: accounts } = await sql<EarlierAccount>`
    select accounts.*, credentials.password from accounts
    left join credentials on credentials."userId" = accounts.id order by accounts.id`.execute(db);
  const { rows: sessions } = await sql<EarlierSession>`
    select * from sessions order by token`.execute(db);
  const epoch = await findEpoch(db);
  for (const table of ['sessions', 'credentials', 'verifications', 'accounts']) {
    await db.schema.dropTable(table).execute();
  }
  await createTables(db, types);
  // The next step of the start removes what is left of them in the files.
  if (accounts.length > 0) {
    await sql`insert into "serverMetadata" values ('droppedTables', '')`.execute(db);
  }
  if (!keys) {
    await sql`update classes set "memberCount" = 0`.execute(db);
    return;
  }
  const sessionGroups = new Map<string, string>();
  for (const account of accounts) {
    const sessionGroup = createRandomId();
    sessionGroups.set(account.id, sessionGroup);
    await insertAccount(db, keys, account, { epoch, sessionGroup });
  }
  for (const session of sessions) {
    await insertSession(db, keys, session, sessionGroups.get(session.userId) ?? '');
  }
}

async function findEpoch(db: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ value: string }>`
    select value from "serverMetadata" where name = 'epoch'`.execute(db);
  return rows[0]?.value ?? '';
}

async function createTables(
  db: Kysely<unknown>,
  { binary, unordered }: EngineTypes,
): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('addressKey', 'text', (c) => c.notNull().unique())
    .addColumn('mailboxKey', 'text', (c) => c.unique())
    .addColumn('signOnKey', 'text', (c) => c.unique())
    .addColumn('content', binary, (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (c) => c.primaryKey().notNull())
    .addColumn('sessionGroup', 'text', (c) => c.notNull())
    .addColumn('push', 'text')
    .addColumn('content', binary, (c) => c.notNull())
    .modifyEnd(unordered)
    .execute();
  await db.schema.createIndex('sessions_group').on('sessions').column('sessionGroup').execute();
}

async function insertAccount(
  db: Kysely<unknown>,
  keys: ServerKeys,
  account: EarlierAccount,
  { epoch, sessionGroup }: { epoch: string; sessionGroup: string },
): Promise<void> {
  const { id, mailboxKey, signOnKey } = account;
  const email = account.email.toLowerCase();
  const lastUse = unsealJson(keys.earlier.accountUse, account.lastUse, `${epoch} ${id}`);
  const times = openTimes(keys.times, `account ${id}`, account);
  const content = {
    email,
    passwordHash: openPassword(keys.earlier.passwords, account.password),
    emailVerified: Boolean(account.emailVerified),
    createdDay: times ? toDay(new Date(times.createdAt)) : getToday(),
    lastUse: lastUse && { epoch, ...lastUse },
    settings: unsealJson(keys.earlier.settings, account.notifications, id) ?? {},
    sessionGroup,
  };
  const addressKey = createHmac('sha256', keys.accounts.addresses)
    .update(email)
    .digest('base64url')
    .slice(0, 22);
  const sealed = sealRecord(keys.accounts.contents, content, {
    step: accountBytes,
    context: `account ${id}`,
  });
  await sql`
    insert into accounts (id, "addressKey", "mailboxKey", "signOnKey", content)
    values (${id}, ${addressKey}, ${mailboxKey}, ${signOnKey}, ${sealed})`.execute(db);
}

/** The token's hash becomes the id of the session, to which its push subscription is bound. */
async function insertSession(
  db: Kysely<unknown>,
  keys: ServerKeys,
  session: EarlierSession,
  sessionGroup: string,
): Promise<void> {
  const { token, userId: accountId, device } = session;
  const times = openTimes(keys.times, `session ${token}`, session);
  if (!times) return;
  const content = {
    accountId,
    device: device ?? 'A browser',
    createdDay: toDay(new Date(times.createdAt)),
    endDay: toDay(new Date(times.expiresAt ?? 0)),
  };
  const sealed = sealRecord(keys.sessions, content, {
    step: sessionBytes,
    context: `session ${token}`,
  });
  const { subscriptions } = keys.notifications;
  const subscription = unsealText(subscriptions, session.push, session.id);
  const push =
    subscription &&
    seal(subscriptions, subscription.trimEnd(), { context: token, padTo: pushBytes });
  await sql`
    insert into sessions (id, "sessionGroup", push, content)
    values (${token}, ${sessionGroup}, ${push}, ${sealed})`.execute(db);
}

interface EarlierTimes {
  createdAt: number;
  expiresAt?: number;
}

/** A row of 0.2.0 and earlier has its times in other columns. */
function openTimes(
  key: KeyObject,
  context: string,
  row: { times: string | null; createdAt: string | Date; expiresAt?: string | Date },
): EarlierTimes | null {
  if (row.times !== null) return unsealJson(key, row.times, context) as EarlierTimes | null;
  return {
    createdAt: new Date(row.createdAt).getTime(),
    ...(row.expiresAt !== undefined && { expiresAt: new Date(row.expiresAt).getTime() }),
  };
}

/** Earlier versions stored the hash as it is. */
function openPassword(key: KeyObject, password: string | null): string | null {
  if (password?.startsWith('$')) return password;
  return unsealText(key, password, '')?.trimEnd() ?? null;
}

function unsealJson(key: KeyObject, sealed: string | null, context: string): object | null {
  const text = unsealText(key, sealed, context);
  return text === null ? null : (JSON.parse(text) as object);
}
