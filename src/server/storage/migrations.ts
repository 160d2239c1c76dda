// All schema changes, in order, for both engines. A released migration never changes.
import { hash } from 'node:crypto';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { StartupError } from '../startup-failure.ts';
import type { Tables } from './database.ts';

export type EngineKind = 'sqlite' | 'postgres';

export async function migrate(db: Kysely<Tables>, engine: EngineKind): Promise<void> {
  const known = migrations(engine);
  await checkNotNewer(db, known);
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => known },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error) throw error;
}

/**
 * For commands that run next to a server: only the server migrates.
 *
 * @throws {StartupError}
 */
export async function checkMigrated(db: Kysely<Tables>, engine: EngineKind): Promise<void> {
  const known = migrations(engine);
  const done = await checkNotNewer(db, known);
  if (done.length === Object.keys(known).length) return;
  throw new StartupError(
    'this version of Backchannel has not opened this database yet. Start its server once, then try again.',
  );
}

async function checkNotNewer(db: Kysely<Tables>, known: object): Promise<string[]> {
  const done = await namesOfDoneMigrations(db);
  if (done.every((name) => name in known)) return done;
  throw new StartupError(
    'a newer version of Backchannel has written this database. Install that version or a later one.',
  );
}

async function namesOfDoneMigrations(db: Kysely<Tables>): Promise<string[]> {
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
        const today = Math.floor(Date.now() / 86_400_000);
        await sql`update classes set "deletedDay" = ${today}, "statusBefore" = 'active'
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
  };
}
