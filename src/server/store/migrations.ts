// Brings a database to the tables of this version. The folder `migrations` has each change.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import { getErrorCode, StartupError } from '#server/base/startup-failure.ts';
import type { ServerKeys } from '#server/base/server-keys.ts';
import { isTransient } from './storage-errors.ts';
import type { Tables } from './tables.ts';
import type { EngineTypes } from './migrations/engine-types.ts';
import { up as accounts0001 } from './migrations/0001-accounts.ts';
import { up as classes0002 } from './migrations/0002-classes.ts';
import { up as messages0003 } from './migrations/0003-messages.ts';
import { up as revocations0004 } from './migrations/0004-revocations.ts';
import { up as images0005 } from './migrations/0005-images.ts';
import { up as accounts0006 } from './migrations/0006-accounts.ts';
import { up as algolia0007 } from './migrations/0007-algolia.ts';
import { up as personas0008 } from './migrations/0008-personas.ts';
import { up as credentials0010 } from './migrations/0010-credentials.ts';
import { up as mailQueue0011 } from './migrations/0011-mail-queue.ts';
import { up as deletedClasses0012 } from './migrations/0012-deleted-classes.ts';
import { up as enrolments0013 } from './migrations/0013-enrolments.ts';
import { up as mailboxes0014 } from './migrations/0014-mailboxes.ts';
import { up as digests0015 } from './migrations/0015-digests.ts';
import { up as plainNames0016 } from './migrations/0016-plain-names.ts';
import { up as messageWords0017 } from './migrations/0017-message-words.ts';
import { up as readMarks0018 } from './migrations/0018-read-marks.ts';
import { up as messageImages0019 } from './migrations/0019-message-images.ts';
import { up as mentions0020 } from './migrations/0020-mentions.ts';
import { up as moderation0021 } from './migrations/0021-moderation.ts';
import { up as preferences0022 } from './migrations/0022-preferences.ts';
import { up as classSettings0023 } from './migrations/0023-class-settings.ts';
import { up as staff0024 } from './migrations/0024-staff.ts';
import { up as suspensions0025 } from './migrations/0025-suspensions.ts';
import { up as openness0026 } from './migrations/0026-openness.ts';
import { up as notifications0027 } from './migrations/0027-notifications.ts';
import { up as leases0040 } from './migrations/0040-leases.ts';
import { up as endedDay0041 } from './migrations/0041-ended-day.ts';
import { up as lastUse0042 } from './migrations/0042-last-use.ts';
import { up as classYear0046 } from './migrations/0046-class-year.ts';
import { up as signOn0050 } from './migrations/0050-sign-on.ts';
import { up as mergedClasses0052 } from './migrations/0052-merged-classes.ts';
import { up as announcements0053 } from './migrations/0053-announcements.ts';
import { up as reopenableUntil0054 } from './migrations/0054-reopenable-until.ts';
import { up as revocationsOfDeletedAccounts0055 } from './migrations/0055-revocations-of-deleted-accounts.ts';
import { up as deciders0060 } from './migrations/0060-deciders.ts';
import { up as sealedTimes0061 } from './migrations/0061-sealed-times.ts';
import { up as changeEventsWithoutAccounts0062 } from './migrations/0062-change-events-without-accounts.ts';
import { up as tableNames0063 } from './migrations/0063-table-names.ts';
import { up as classCodes0064 } from './migrations/0064-class-codes.ts';
import { up as casesForOperators0065 } from './migrations/0065-cases-for-operators.ts';
import { up as blockedAddresses0070 } from './migrations/0070-blocked-addresses.ts';
import { up as quietTimes0071 } from './migrations/0071-quiet-times.ts';
import { up as questions0072 } from './migrations/0072-questions.ts';
import { up as polls0073 } from './migrations/0073-polls.ts';
import { up as lectures0074 } from './migrations/0074-lectures.ts';
import { up as waitingQuestions0075 } from './migrations/0075-waiting-questions.ts';
import { up as commitReceipts0080 } from './migrations/0080-commit-receipts.ts';
import { up as forgetWaitingWork0085 } from './migrations/0085-forget-waiting-work.ts';
import { up as wordsAndCodes0086 } from './migrations/0086-words-and-codes.ts';
import { up as registers0090 } from './migrations/0090-registers.ts';
import { up as accounts0093 } from './migrations/0093-accounts.ts';
import { up as lecturePreparation0097 } from './migrations/0097-lecture-preparation.ts';
import { up as hallCodes0100 } from './migrations/0100-hall-codes.ts';
import { up as lti0103 } from './migrations/0103-lti.ts';
import { up as topics0106 } from './migrations/0106-topics.ts';
import { up as lateJoins0109 } from './migrations/0109-late-joins.ts';
import { up as privateQuestions0112 } from './migrations/0112-private-questions.ts';
import { up as outsideReports0114 } from './migrations/0114-outside-reports.ts';

export type EngineKind = 'sqlite' | 'postgres';

interface MigrationOptions {
  /** The last migration to apply; by default the newest one. */
  last?: string;
  /** For migrations that encrypt; null if the key is lost, or if the database is empty. */
  keys?: ServerKeys | null;
  /** All migrations; by default those of this version. */
  migrations?: Record<string, Migration>;
  /** Called if the tables are in use, and the migration is tried again until they are free. */
  onWaiting?: () => void;
}

export async function migrate(
  db: Kysely<Tables>,
  engine: EngineKind,
  {
    last,
    keys = null,
    migrations = listMigrations(engine, keys),
    onWaiting = () => {},
  }: MigrationOptions = {},
): Promise<void> {
  const applied = await checkNotNewer(db, migrations);
  if (engine === 'postgres' && applied.length > 0) {
    return migrateUsedTables(db, migrations, onWaiting);
  }
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = last ? await migrator.migrateTo(last) : await migrator.migrateToLatest();
  if (error instanceof Error) throw error;
}

/** Backups share this advisory lock, and a migration excludes them: a backup reads every table in one transaction of minutes. */
const backupLock = 0x6261636b7570n;
const lockTimeoutMs = 1_000;
const retryDelayMs = 2_000;
/** A backup of a large database takes minutes. */
const maxWaitMs = 60 * 60_000;

/** While `run` runs, no migration changes the tables. */
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
 * Migrates while nodes of the previous version use the tables (NODE-17). Their queries queue behind a migration that waits for a
 * lock, so each migration has its own transaction, waits at most a second for locks, and is tried again.
 */
async function migrateUsedTables(
  db: Kysely<Tables>,
  migrations: Record<string, Migration>,
  onWaiting: () => void,
): Promise<void> {
  const lockTables = async (tx: Kysely<unknown>) => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
    await sql`select pg_advisory_xact_lock(${sql.lit(backupLock)})`.execute(tx);
  };
  const migrationsWithLocks = Object.entries(migrations).map(
    ([name, { up }]): [string, Migration] => [
      name,
      {
        async up(tx: Kysely<unknown>) {
          await lockTables(tx);
          await up(tx);
        },
      },
    ],
  );
  const getMigrations = async () => Object.fromEntries(migrationsWithLocks);
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
    // A random delay, because two nodes that try again at the same times would block each other again.
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
  const migrations = Object.keys(listMigrations(engine));
  const isEarlier =
    applied.length < migrations.length && applied.every((name) => migrations.includes(name));
  return isEarlier ? (applied.toSorted().at(-1) ?? null) : null;
}

/** Tells whether a migration is due that drops tables of running nodes. All nodes must stop before it (NODE-17). */
export async function isUpgradeForOneNode(db: Kysely<Tables>): Promise<boolean> {
  const last = await findEarlierVersion(db, 'postgres');
  return last !== null && last < '0090';
}

/**
 * Checks that the server has migrated the database. Commands that run next to a server never migrate.
 *
 * @throws {StartupError}
 */
export async function checkMigrated(db: Kysely<Tables>, engine: EngineKind): Promise<void> {
  const migrations = listMigrations(engine);
  const applied = await checkNotNewer(db, migrations);
  if (applied.length === Object.keys(migrations).length) return;
  throw new StartupError(
    'this version of Backchannel has not opened this database yet. Start its server once, then try again.',
  );
}

async function checkNotNewer(db: Kysely<Tables>, migrations: object): Promise<string[]> {
  const applied = await listAppliedMigrations(db);
  if (applied.every((name) => name in migrations)) return applied;
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

/** A migration sees the tables as they were then. */
type AnyDatabase = Parameters<Migration['up']>[0];

/** @param keys null if the key is lost, or if the database is empty */
type Step = (db: AnyDatabase, types: EngineTypes, keys: ServerKeys | null) => Promise<void>;

/** All migrations, in order. A released migration never changes. */
const steps: Record<string, Step> = {
  '0001-accounts': accounts0001,
  '0002-classes': classes0002,
  '0003-messages': messages0003,
  '0004-revocations': revocations0004,
  '0005-images': images0005,
  '0006-accounts': accounts0006,
  '0007-algolia': algolia0007,
  '0008-personas': personas0008,
  '0010-credentials': credentials0010,
  '0011-mail-queue': mailQueue0011,
  '0012-deleted-classes': deletedClasses0012,
  '0013-enrolments': enrolments0013,
  '0014-mailboxes': mailboxes0014,
  '0015-digests': digests0015,
  '0016-plain-names': plainNames0016,
  '0017-message-words': messageWords0017,
  '0018-read-marks': readMarks0018,
  '0019-message-images': messageImages0019,
  '0020-mentions': mentions0020,
  '0021-moderation': moderation0021,
  '0022-preferences': preferences0022,
  '0023-class-settings': classSettings0023,
  '0024-staff': staff0024,
  '0025-suspensions': suspensions0025,
  '0026-openness': openness0026,
  '0027-notifications': notifications0027,
  '0040-leases': leases0040,
  '0041-ended-day': endedDay0041,
  '0042-last-use': lastUse0042,
  '0046-class-year': classYear0046,
  '0050-sign-on': signOn0050,
  '0052-merged-classes': mergedClasses0052,
  '0053-announcements': announcements0053,
  '0054-reopenable-until': reopenableUntil0054,
  '0055-revocations-of-deleted-accounts': revocationsOfDeletedAccounts0055,
  '0060-deciders': deciders0060,
  '0061-sealed-times': sealedTimes0061,
  '0062-change-events-without-accounts': changeEventsWithoutAccounts0062,
  '0063-table-names': tableNames0063,
  '0064-class-codes': classCodes0064,
  '0065-cases-for-operators': casesForOperators0065,
  '0070-blocked-addresses': blockedAddresses0070,
  '0071-quiet-times': quietTimes0071,
  '0072-questions': questions0072,
  '0073-polls': polls0073,
  '0074-lectures': lectures0074,
  '0075-waiting-questions': waitingQuestions0075,
  '0080-commit-receipts': commitReceipts0080,
  '0085-forget-waiting-work': forgetWaitingWork0085,
  '0086-words-and-codes': wordsAndCodes0086,
  '0090-registers': registers0090,
  '0093-accounts': accounts0093,
  '0097-lecture-preparation': lecturePreparation0097,
  '0100-hall-codes': hallCodes0100,
  '0103-lti': lti0103,
  '0106-topics': topics0106,
  '0109-late-joins': lateJoins0109,
  '0112-private-questions': privateQuestions0112,
  '0114-outside-reports': outsideReports0114,
};

/** The migrations of an engine by name, in order. */
export function listMigrations(
  engine: EngineKind,
  keys: ServerKeys | null = null,
): Record<string, Migration> {
  const types = getEngineTypes(engine);
  return Object.fromEntries(
    Object.entries(steps).map(([name, step]) => [
      name,
      { up: (db: AnyDatabase) => step(db, types, keys) },
    ]),
  );
}

function getEngineTypes(engine: EngineKind): EngineTypes {
  const isSqlite = engine === 'sqlite';
  return {
    date: isSqlite ? 'text' : 'timestamptz',
    boolean: isSqlite ? 'integer' : 'boolean',
    binary: isSqlite ? 'blob' : 'bytea',
    unordered: sql.raw(isSqlite ? 'without rowid' : ''),
    oftenUpdated: sql.raw(isSqlite ? 'without rowid' : 'with (fillfactor = 10)'),
  };
}
