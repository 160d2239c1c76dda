// All schema changes, in order, for both engines. A released migration never changes.
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { getToday } from '#server/base/days.ts';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import { isTransient } from './storage-errors.ts';
import type { Tables } from './tables.ts';

export type EngineKind = 'sqlite' | 'postgres';

interface MigrationOptions {
  /** The last migration to apply; by default the newest one. */
  last?: string;
  /** By default those of this version. */
  known?: Record<string, Migration>;
  /** Called if the tables are in use, and the migration is tried again until they are free. */
  onWaiting?: () => void;
}

export async function migrate(
  db: Kysely<Tables>,
  engine: EngineKind,
  { last, known = migrations(engine), onWaiting = () => {} }: MigrationOptions = {},
): Promise<void> {
  const applied = await checkNotNewer(db, known);
  if (engine === 'postgres' && applied.length > 0) return migrateUsedTables(db, known, onWaiting);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => known } });
  const { error } = last ? await migrator.migrateTo(last) : await migrator.migrateToLatest();
  if (error instanceof Error) throw error;
}

/** Backups share it, and migrations exclude them: a backup reads every table, for minutes, in one transaction. */
const backupLock = 0x6261636b7570n;
const lockTimeoutMs = 1_000;
const retryDelayMs = 2_000;
/** A backup of a large database takes minutes. */
const maxWaitMs = 60 * 60_000;

/** While it runs, no migration changes the tables. */
export async function excludeMigrations<Result>(
  db: Kysely<Tables>,
  run: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  return db.connection().execute(async (connection) => {
    await sql`select pg_advisory_lock_shared(${sql.lit(backupLock)})`.execute(connection);
    try {
      return await run(connection);
    } finally {
      await sql`select pg_advisory_unlock_shared(${sql.lit(backupLock)})`.execute(connection);
    }
  });
}

/**
 * Nodes of the version before use the tables meanwhile (NODE-17). They queue behind a migration that waits for a lock, so each
 * migration is its own transaction, waits a second at most, and is tried again.
 */
async function migrateUsedTables(
  db: Kysely<Tables>,
  known: Record<string, Migration>,
  onWaiting: () => void,
): Promise<void> {
  const lockTables = async (tx: Kysely<unknown>) => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(backupLock)})`.execute(tx);
  };
  const patient = Object.entries(known).map(([name, { up }]): [string, Migration] => [
    name,
    {
      async up(tx: Kysely<unknown>) {
        await lockTables(tx);
        await up(tx);
      },
    },
  ]);
  const getMigrations = async () => Object.fromEntries(patient);
  const migrator = new Migrator({ db, provider: { getMigrations } });
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    const { error, results = [] } = await migrator.migrateUp();
    if (!(error instanceof Error)) {
      if (results.length === 0) return;
      continue;
    }
    if (getErrorCode(error) !== '55P03' && !isTransient(error)) throw error;
    if (performance.now() > deadline) {
      throw new StartupError(
        'another program, such as a backup or psql, uses the tables that this version changes. End it, or wait, then start again.',
      );
    }
    onWaiting();
    // Two nodes that try again in step would meet again.
    await sleep(retryDelayMs * (0.5 + Math.random()));
  }
}

/**
 * The name of the last migration that an earlier version applied.
 *
 * @returns null if the database is empty, or of this version or a newer one
 */
export async function findEarlierVersion(
  db: Kysely<Tables>,
  engine: EngineKind,
): Promise<string | null> {
  const applied = await listAppliedMigrations(db);
  const known = Object.keys(migrations(engine));
  const isEarlier = applied.length < known.length && applied.every((name) => known.includes(name));
  return isEarlier ? (applied.toSorted().at(-1) ?? null) : null;
}

/**
 * For commands that run next to a server: only the server migrates.
 *
 * @throws {StartupError}
 */
export async function checkMigrated(db: Kysely<Tables>, engine: EngineKind): Promise<void> {
  const known = migrations(engine);
  const applied = await checkNotNewer(db, known);
  if (applied.length === Object.keys(known).length) return;
  throw new StartupError(
    'this version of Backchannel has not opened this database yet. Start its server once, then try again.',
  );
}

async function checkNotNewer(db: Kysely<Tables>, known: object): Promise<string[]> {
  const applied = await listAppliedMigrations(db);
  if (applied.every((name) => name in known)) return applied;
  throw new StartupError(
    'a newer version of Backchannel has written this database. Install that version or a later one.',
  );
}

async function listAppliedMigrations(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map((row) => row.name);
}

/** By name, in order. */
export function migrations(engine: EngineKind): Record<string, Migration> {
  const date = engine === 'sqlite' ? 'text' : 'timestamptz';
  const boolean = engine === 'sqlite' ? 'integer' : 'boolean';
  /** Without a rowid, SQLite stores no insertion order in the table. */
  const unordered = sql.raw(engine === 'sqlite' ? 'without rowid' : '');

  return {
    '0001-accounts': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('accounts')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('email', 'text', (c) => c.notNull().unique())
          .addColumn('emailVerified', boolean, (c) => c.notNull())
          .addColumn('name', 'text', (c) => c.notNull())
          .addColumn('image', 'text')
          .addColumn('createdAt', date, (c) => c.notNull())
          .addColumn('updatedAt', date, (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createTable('sessions')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('token', 'text', (c) => c.notNull().unique())
          .addColumn('userId', 'text', (c) =>
            c.notNull().references('accounts.id').onDelete('cascade'),
          )
          .addColumn('ipAddress', 'text')
          .addColumn('userAgent', 'text')
          .addColumn('expiresAt', date, (c) => c.notNull())
          .addColumn('createdAt', date, (c) => c.notNull())
          .addColumn('updatedAt', date, (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema.createIndex('sessions_user').on('sessions').column('userId').execute();
        await db.schema
          .createTable('credentials')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('accountId', 'text', (c) => c.notNull())
          .addColumn('providerId', 'text', (c) => c.notNull())
          .addColumn('userId', 'text', (c) =>
            c.notNull().references('accounts.id').onDelete('cascade'),
          )
          .addColumn('accessToken', 'text')
          .addColumn('refreshToken', 'text')
          .addColumn('idToken', 'text')
          .addColumn('accessTokenExpiresAt', date)
          .addColumn('refreshTokenExpiresAt', date)
          .addColumn('scope', 'text')
          .addColumn('password', 'text')
          .addColumn('createdAt', date, (c) => c.notNull())
          .addColumn('updatedAt', date, (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('credentials_user')
          .on('credentials')
          .column('userId')
          .execute();
        await db.schema
          .createTable('verifications')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('identifier', 'text', (c) => c.notNull())
          .addColumn('value', 'text', (c) => c.notNull())
          .addColumn('expiresAt', date, (c) => c.notNull())
          .addColumn('createdAt', date, (c) => c.notNull())
          .addColumn('updatedAt', date, (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('verifications_identifier')
          .on('verifications')
          .column('identifier')
          .execute();
      },
    },
    '0002-classes': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('facts')
          .addColumn('name', 'text', (c) => c.primaryKey().notNull())
          .addColumn('value', 'text', (c) => c.notNull())
          .execute();
        await db.schema
          .createTable('classes')
          .addColumn('classId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('seq', 'bigint', (c) => c.notNull())
          .addColumn('ordinal', 'bigint', (c) => c.notNull())
          .addColumn('salt', 'text', (c) => c.notNull())
          .addColumn('status', 'text', (c) => c.notNull())
          .addColumn('name', 'text')
          .addColumn('courseName', 'text')
          .addColumn('subjectAbbreviation', 'text')
          .addColumn('courseNumber', 'text')
          .addColumn('sectionNumber', 'text')
          .addColumn('semesterSeason', 'text')
          .addColumn('classSchedule', 'text')
          .addColumn('beginClassTime', 'text')
          .addColumn('endClassTime', 'text')
          .addColumn('memberCount', 'integer', (c) => c.notNull())
          .addColumn('createdDay', 'integer', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createTable('enrolments')
          .addColumn('accountId', 'text', (c) =>
            c.notNull().references('accounts.id').onDelete('cascade'),
          )
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('joinedDay', 'integer', (c) => c.notNull())
          .addPrimaryKeyConstraint('enrolments_key', ['accountId', 'classId'])
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('enrolments_class')
          .on('enrolments')
          .column('classId')
          .execute();
        await db.schema
          .createTable('personas')
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('anonymousName', 'text', (c) => c.notNull())
          .addColumn('icon', 'text', (c) => c.notNull())
          .addColumn('readSeq', 'bigint', (c) => c.notNull())
          .addPrimaryKeyConstraint('personas_key', ['classId', 'memberId'])
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0003-messages': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('messages')
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('seq', 'bigint', (c) => c.notNull())
          .addColumn('ordinal', 'bigint', (c) => c.notNull())
          .addColumn('id', 'text', (c) => c.notNull())
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('text', 'text', (c) => c.notNull())
          .addColumn('digest', 'text', (c) => c.notNull())
          .addColumn('createdAt', 'bigint', (c) => c.notNull())
          .addColumn('editedAt', 'bigint')
          .addColumn('replyTo', 'text')
          .addColumn('deleted', 'integer', (c) => c.notNull())
          .addPrimaryKeyConstraint('messages_key', ['classId', 'seq'])
          .addUniqueConstraint('messages_id', ['classId', 'id'])
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createTable('reactions')
          .addColumn('classId', 'text', (c) => c.notNull())
          .addColumn('seq', 'bigint', (c) => c.notNull())
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('emoji', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('reactions_key', ['classId', 'seq', 'memberId'])
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createTable('log')
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('seq', 'bigint', (c) => c.notNull())
          .addColumn('id', 'text', (c) => c.notNull())
          .addColumn('kind', 'text', (c) => c.notNull())
          .addColumn('ref', 'text', (c) => c.notNull())
          .addColumn('memberId', 'text')
          .addPrimaryKeyConstraint('log_key', ['classId', 'seq'])
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0004-revocations': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('revocations')
          .addColumn('seq', 'bigint', (c) => c.primaryKey().notNull())
          .addColumn('kind', 'text', (c) => c.notNull())
          .addColumn('ref', 'text', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0005-images': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('messages').addColumn('image', 'text').execute();
        await db.schema
          .createTable('images')
          .addColumn('imageId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('digest', 'text', (c) => c.notNull())
          .addColumn('bytes', 'bigint', (c) => c.notNull())
          .addColumn('shape', 'text', (c) => c.notNull())
          .addColumn('keptUntil', 'bigint')
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('images_due')
          .on('images')
          .column('keptUntil')
          .where(sql.ref('keptUntil'), 'is not', null)
          .execute();
      },
    },
    '0006-accounts': {
      async up(db: Kysely<Tables>) {
        await db.schema.alterTable('sessions').addColumn('device', 'text').execute();
        // Sessions stay valid: from now on the server looks up the hash of the browser's token.
        const sessions = await db.selectFrom('sessions').select(['id', 'token']).execute();
        for (const { id, token } of sessions) {
          const hashed = hash('sha256', token, 'base64url');
          await db.updateTable('sessions').set({ token: hashed }).where('id', '=', id).execute();
        }
        // Links in earlier mails would not match any more. They were valid for an hour.
        await db.deleteFrom('verifications').execute();
      },
    },
    '0007-algolia': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('searchDue')
          .addColumn('classId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('change', 'integer', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0008-personas': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('personas').addColumn('nameKey', 'text').execute();
        await db.schema
          .createIndex('personas_name')
          .on('personas')
          .columns(['classId', 'nameKey'])
          .unique()
          .execute();
      },
    },
    '0010-credentials': {
      async up(db: Kysely<Tables>) {
        // An interrupted sign-up left accounts without credentials, which blocked their addresses.
        await db
          .deleteFrom('accounts')
          .where('id', 'not in', db.selectFrom('credentials').select('userId'))
          .execute();
      },
    },
    '0011-mail-queue': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('outgoingMails')
          .addColumn('id', 'text', (c) => c.primaryKey().notNull())
          .addColumn('dueAt', 'bigint', (c) => c.notNull())
          .addColumn('content', 'text', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0012-deleted-classes': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('classes').addColumn('deletedDay', 'integer').execute();
        await db.schema.alterTable('classes').addColumn('statusBefore', 'text').execute();
        await sql`update classes set "deletedDay" = ${getToday()}, "statusBefore" = 'active'
          where status = 'deleted'`.execute(db);
      },
    },
    '0013-enrolments': {
      async up(db: Kysely<unknown>) {
        // No query used this index, and its pages kept each class's enrolments in the order of joining.
        await db.schema.dropIndex('enrolments_class').execute();
      },
    },
    // `alignMailboxKeys` fills the column, because it needs the server key.
    '0014-mailboxes': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('accounts').addColumn('mailboxKey', 'text').execute();
        await db.schema
          .createIndex('accounts_mailbox')
          .on('accounts')
          .column('mailboxKey')
          .unique()
          .execute();
      },
    },
    '0015-digests': {
      async up(db: Kysely<Tables>) {
        // Unkeyed digests confirm a guessed text. If the digest is empty, a retry by the author matches.
        await db.updateTable('messages').set({ digest: '' }).execute();
        await db.updateTable('images').set({ digest: '' }).execute();
      },
    },
    '0016-plain-names': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('facts').renameTo('serverMetadata').execute();
        await db.schema.alterTable('searchDue').renameTo('searchIndexQueue').execute();
        await db.schema.dropIndex('images_due').execute();
        await db.schema.alterTable('images').renameColumn('keptUntil', 'expiresAt').execute();
        await db.schema
          .alterTable('images')
          .addColumn('status', 'text', (c) => c.notNull().defaultTo('unsent'))
          .execute();
        // The old column was null for a sent picture and 0 for a deleted one.
        await sql`update images set status = 'sent' where "expiresAt" is null`.execute(db);
        await sql`update images set status = 'deleted', "expiresAt" = null
          where "expiresAt" = 0`.execute(db);
        await db.schema
          .createIndex('images_due')
          .on('images')
          .columns(['status', 'expiresAt'])
          .where(sql.ref('status'), '!=', sql.lit('sent'))
          .execute();
      },
    },
    // The server indexes earlier messages in the background, so a large database starts without delay.
    '0017-message-words': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('messageWords')
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('bucket', 'integer', (c) => c.notNull())
          .addColumn('block', 'integer', (c) => c.notNull())
          .addColumn('entries', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('messageWords_key', ['classId', 'bucket', 'block'])
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0018-read-marks': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('readMarks')
          .addColumn('classId', 'text', (c) => c.notNull())
          .addColumn('reader', 'text', (c) => c.notNull())
          .addColumn('position', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('readMarks_key', ['classId', 'reader'])
          .modifyEnd(unordered)
          .execute();
        // The old positions belong to personas. They cannot move, because no row links a persona to its reader:
        // every class counts as read until its next message.
        await db.schema.alterTable('personas').dropColumn('readSeq').execute();
      },
    },
    // A message had at most one picture.
    '0019-message-images': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('messages').renameColumn('image', 'images').execute();
        await sql`update messages set images = '[' || images || ']'
          where images is not null`.execute(db);
      },
    },
    '0020-mentions': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('mentions')
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('seq', 'bigint', (c) => c.notNull())
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('mentions_key', ['classId', 'seq', 'memberId'])
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('mentions_of')
          .on('mentions')
          .columns(['classId', 'memberId', 'seq'])
          .execute();
      },
    },
    '0021-moderation': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('messages').addColumn('moderation', 'text').execute();
        await db.schema
          .createTable('roles')
          .addColumn('accountId', 'text', (c) =>
            c.notNull().references('accounts.id').onDelete('cascade'),
          )
          .addColumn('classId', 'text', (c) => c.notNull())
          .addColumn('role', 'text', (c) => c.notNull())
          .addColumn('staffName', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('roles_key', ['accountId', 'classId'])
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createTable('cases')
          .addColumn('caseId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('number', 'bigint', (c) => c.notNull().unique())
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('messageId', 'text')
          .addColumn('status', 'text', (c) => c.notNull())
          .addColumn('version', 'integer', (c) => c.notNull())
          .addColumn('evidence', 'text')
          .addColumn('decision', 'text')
          .addColumn('sanctionKind', 'text')
          .addColumn('sanctionHours', 'integer')
          .addColumn('reason', 'text')
          .addColumn('decidedBy', 'text')
          .addColumn('effectiveAt', 'bigint')
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('cases_message')
          .on('cases')
          .columns(['classId', 'messageId'])
          .execute();
        await db.schema
          .createIndex('cases_member')
          .on('cases')
          .columns(['classId', 'memberId'])
          .execute();
        await db.schema
          .createIndex('cases_status')
          .on('cases')
          .columns(['status', 'effectiveAt'])
          .execute();
        await db.schema
          .createTable('reports')
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('reporter', 'text', (c) => c.notNull())
          .addColumn('target', 'text', (c) => c.notNull())
          .addColumn('caseId', 'text', (c) => c.notNull())
          .addColumn('reason', 'text', (c) => c.notNull())
          .addColumn('text', 'text', (c) => c.notNull())
          .addColumn('day', 'integer', (c) => c.notNull())
          .addPrimaryKeyConstraint('reports_key', ['classId', 'reporter', 'target'])
          .modifyEnd(unordered)
          .execute();
        await db.schema.createIndex('reports_case').on('reports').column('caseId').execute();
        await db.schema
          .createTable('sanctions')
          .addColumn('sanctionId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('kind', 'text', (c) => c.notNull())
          .addColumn('until', 'bigint')
          .addColumn('reason', 'text', (c) => c.notNull())
          .addColumn('staffName', 'text', (c) => c.notNull())
          .addColumn('day', 'integer', (c) => c.notNull())
          .addColumn('caseId', 'text', (c) => c.notNull())
          .addColumn('status', 'text', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createIndex('sanctions_member')
          .on('sanctions')
          .columns(['classId', 'memberId'])
          .execute();
        await db.schema
          .createTable('auditLog')
          .addColumn('number', 'bigint', (c) => c.primaryKey().notNull())
          .addColumn('at', 'bigint', (c) => c.notNull())
          .addColumn('staffName', 'text', (c) => c.notNull())
          .addColumn('act', 'text', (c) => c.notNull())
          .addColumn('classId', 'text')
          .addColumn('memberId', 'text')
          .addColumn('caseId', 'text')
          .addColumn('reason', 'text', (c) => c.notNull())
          .addColumn('hash', 'text', (c) => c.notNull())
          .execute();
      },
    },
    '0022-preferences': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('preferences')
          .addColumn('classId', 'text', (c) => c.notNull())
          .addColumn('owner', 'text', (c) => c.notNull())
          .addColumn('content', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('preferences_key', ['classId', 'owner'])
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0023-class-settings': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('classSettings')
          .addColumn('classId', 'text', (c) =>
            c.primaryKey().notNull().references('classes.classId'),
          )
          .addColumn('version', 'integer', (c) => c.notNull())
          .addColumn('slowModeSeconds', 'integer', (c) => c.notNull())
          .addColumn('readOnly', 'integer', (c) => c.notNull())
          .addColumn('picturesOff', 'integer', (c) => c.notNull())
          .addColumn('description', 'text', (c) => c.notNull())
          .addColumn('rules', 'text', (c) => c.notNull())
          .addColumn('pins', 'text', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0024-staff': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .alterTable('personas')
          .addColumn('staff', 'integer', (c) => c.notNull().defaultTo(0))
          .execute();
        // An account can have several roles in a class: an instructor may moderate it, too.
        await db.schema.alterTable('roles').renameTo('rolesBefore').execute();
        await db.schema
          .createTable('roles')
          .addColumn('accountId', 'text', (c) =>
            c.notNull().references('accounts.id').onDelete('cascade'),
          )
          .addColumn('classId', 'text', (c) => c.notNull())
          .addColumn('role', 'text', (c) => c.notNull())
          .addColumn('staffName', 'text', (c) => c.notNull())
          .addPrimaryKeyConstraint('roles_of_account', ['accountId', 'classId', 'role'])
          .modifyEnd(unordered)
          .execute();
        await sql`insert into roles ("accountId", "classId", role, "staffName")
          select "accountId", "classId", role, "staffName" from "rolesBefore"`.execute(db);
        await db.schema.dropTable('rolesBefore').execute();
      },
    },
    '0025-suspensions': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('suspensions')
          .addColumn('suspensionId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('caseId', 'text', (c) => c.notNull())
          .addColumn('status', 'text', (c) => c.notNull())
          .addColumn('content', 'text', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
        await db.schema
          .createTable('reviews')
          .addColumn('reviewId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('memberId', 'text', (c) => c.notNull())
          .addColumn('caseId', 'text', (c) => c.notNull())
          .addColumn('kind', 'text', (c) => c.notNull())
          .addColumn('subject', 'text', (c) => c.notNull().unique())
          .addColumn('subjectKind', 'text')
          .addColumn('text', 'text')
          .addColumn('day', 'integer', (c) => c.notNull())
          .addColumn('status', 'text', (c) => c.notNull())
          .addColumn('version', 'integer', (c) => c.notNull())
          .addColumn('decision', 'text')
          .addColumn('days', 'integer')
          .addColumn('reason', 'text')
          .addColumn('decidedBy', 'text')
          .addColumn('effectiveAt', 'bigint')
          .modifyEnd(unordered)
          .execute();
        await db.schema.createIndex('reviews_case').on('reviews').column('caseId').execute();
        await db.schema
          .createIndex('reviews_status')
          .on('reviews')
          .columns(['status', 'effectiveAt'])
          .execute();
        await db.schema
          .alterTable('cases')
          .addColumn('escalates', 'integer', (c) => c.notNull().defaultTo(0))
          .execute();
      },
    },
    '0026-openness': {
      async up(db: Kysely<unknown>) {
        await db.schema.createIndex('auditLog_act').on('auditLog').columns(['act', 'at']).execute();
        await db.schema
          .createIndex('auditLog_class')
          .on('auditLog')
          .columns(['classId', 'at'])
          .execute();
        await db.schema
          .createTable('unmaskingHistory')
          .addColumn('number', 'integer', (c) => c.primaryKey().notNull())
          .addColumn('state', 'text', (c) => c.notNull())
          .addColumn('at', 'bigint', (c) => c.notNull())
          .execute();
        await db.schema
          .createTable('unmaskings')
          .addColumn('requestId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('number', 'bigint', (c) => c.notNull().unique())
          .addColumn('caseId', 'text', (c) => c.notNull())
          .addColumn('classId', 'text', (c) => c.notNull().references('classes.classId'))
          .addColumn('reason', 'text', (c) => c.notNull())
          .addColumn('requestedBy', 'text', (c) => c.notNull())
          .addColumn('requester', 'text', (c) => c.notNull())
          .addColumn('requestedAt', 'bigint', (c) => c.notNull())
          .addColumn('status', 'text', (c) => c.notNull())
          .addColumn('closedBy', 'text')
          .modifyEnd(unordered)
          .execute();
        await db.schema.createIndex('unmaskings_case').on('unmaskings').column('caseId').execute();
        await db.schema
          .createIndex('unmaskings_class')
          .on('unmaskings')
          .column('classId')
          .execute();
        await db.schema
          .createTable('reportCounts')
          .addColumn('day', 'integer', (c) => c.primaryKey().notNull())
          .addColumn('reports', 'integer', (c) => c.notNull())
          .execute();
        // Earlier reports that are already erased stay uncounted.
        await sql`insert into "reportCounts" ("day", "reports")
          select "day", count(*) from "reports" group by "day"`.execute(db);
      },
    },
    '0027-notifications': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('sessions').addColumn('push', 'text').execute();
        await db.schema.alterTable('accounts').addColumn('notifications', 'text').execute();
        await db.schema.alterTable('enrolments').addColumn('notify', 'text').execute();
      },
    },
    '0040-leases': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('leases')
          .addColumn('name', 'text', (c) => c.primaryKey().notNull())
          .addColumn('holder', 'text', (c) => c.notNull())
          .addColumn('expiresAt', 'bigint', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0041-ended-day': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('classes').addColumn('endedDay', 'integer').execute();
        // The day is unknown, so their messages stay as long as those of a class that ends now.
        await sql`update classes set "endedDay" = ${getToday()}
          where status = 'archived' or "statusBefore" = 'archived'`.execute(db);
      },
    },
    '0042-last-use': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('accounts').addColumn('lastUse', 'text').execute();
      },
    },
    '0046-class-year': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('classes').addColumn('year', 'integer').execute();
        const { rows } = await sql<{ season: string | null; day: number }>`
          select distinct "semesterSeason" as season, "createdDay" as day from classes`.execute(db);
        for (const { season, day } of rows) {
          const created = new Date(day * 86_400_000);
          // From October on, a class for spring is one of the next year.
          const isNextYear = season === 'Spring' && created.getUTCMonth() >= 9;
          const year = created.getUTCFullYear() + (isNextYear ? 1 : 0);
          await sql`update classes set year = ${year} where "createdDay" = ${day}
            and coalesce("semesterSeason", '') = ${season ?? ''}`.execute(db);
        }
      },
    },
    '0050-sign-on': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('accounts').addColumn('signOnKey', 'text').execute();
        await db.schema
          .createIndex('accounts_sign_on')
          .on('accounts')
          .column('signOnKey')
          .unique()
          .execute();
      },
    },
    '0052-merged-classes': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('classes').addColumn('mergedInto', 'text').execute();
      },
    },
    '0053-announcements': {
      async up(db: Kysely<unknown>) {
        await db.schema
          .createTable('announcements')
          .addColumn('announcementId', 'text', (c) => c.primaryKey().notNull())
          .addColumn('classId', 'text', (c) => c.references('classes.classId'))
          .addColumn('text', 'text', (c) => c.notNull())
          .addColumn('number', 'integer', (c) => c.notNull())
          .addColumn('announcedAt', 'bigint', (c) => c.notNull())
          .addColumn('endsAt', 'bigint', (c) => c.notNull())
          .addColumn('status', 'text', (c) => c.notNull())
          .modifyEnd(unordered)
          .execute();
      },
    },
    '0054-reopenable-until': {
      async up(db: Kysely<unknown>) {
        await db.schema.alterTable('classes').addColumn('reopenableUntil', 'integer').execute();
      },
    },
    // The id of a deleted account, with the key, finds the personas whose messages stay.
    '0055-revocations-of-deleted-accounts': {
      async up(db: Kysely<unknown>) {
        await sql`update revocations set ref = ''
          where kind in ('address-changed', 'sessions-ended')
          and ref not in (select id from accounts)`.execute(db);
      },
    },
    '0060-deciders': {
      async up(db: Kysely<unknown>) {
        for (const table of ['cases', 'reviews']) {
          await db.schema.alterTable(table).addColumn('decider', 'text').execute();
        }
        await db.schema
          .alterTable('personas')
          .addColumn('unlinked', 'integer', (c) => c.notNull().defaultTo(0))
          .execute();
        await sql`update personas set unlinked = 1 where "classId" in
          (select "classId" from classes
           where (status = 'archived' or "statusBefore" = 'archived')
           and "reopenableUntil" is null)`.execute(db);
      },
    },
    // `resealAccounts` fills the columns, because it needs the server key.
    '0061-sealed-times': {
      async up(db: Kysely<unknown>) {
        for (const table of ['accounts', 'sessions', 'verifications']) {
          await db.schema.alterTable(table).addColumn('times', 'text').execute();
        }
        await db.schema.alterTable('enrolments').addColumn('content', 'text').execute();
      },
    },
    // Their order was the order in which operators ended the sessions of accounts.
    '0062-change-events-without-accounts': {
      async up(db: Kysely<unknown>) {
        await sql`update revocations set ref = ''
          where kind in ('address-changed', 'sessions-ended')`.execute(db);
      },
    },
  };
}
