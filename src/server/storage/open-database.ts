import { randomBytes, timingSafeEqual } from 'node:crypto';
import { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import type { Reader, Tables } from './database.ts';
import { postgresDialect } from './dialects/postgres.ts';
import { sqliteDialect } from './dialects/sqlite.ts';
import { migrate } from './migrations.ts';

/** The database belongs to another server key than the one given. */
class WrongServerKey extends Error {
  override name = 'WrongServerKey';
}

export interface OpenDatabase {
  db: Kysely<Tables>;
  kind: Config['database']['kind'];
  /** Random id of this database's history: another one means that seqs start anew. */
  epoch: string;
}

/**
 * Opens, migrates and checks the database.
 *
 * @param keyCheck what this server's key makes (see `keyCheckValue`)
 * @throws {WrongServerKey} @throws {NewerDatabase}
 */
export async function openDatabase(
  config: Config['database'],
  keyCheck: string,
): Promise<OpenDatabase> {
  const dialect =
    config.kind === 'sqlite' ? sqliteDialect(config.file) : postgresDialect(config.url);
  const db = new Kysely<Tables>({ dialect });
  try {
    await migrate(db, config.kind);
    const known = await keepFact(db, 'keyCheck', keyCheck);
    const same = known.length === keyCheck.length;
    if (!same || !timingSafeEqual(Buffer.from(known), Buffer.from(keyCheck))) {
      throw new WrongServerKey();
    }
    const epoch = await keepFact(db, 'epoch', randomBytes(12).toString('base64url'));
    return { db, kind: config.kind, epoch };
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** The fact as the database has it; the given value when it had none. */
async function keepFact(db: Reader, name: string, value: string): Promise<string> {
  await db
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  const row = await db
    .selectFrom('facts')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirstOrThrow();
  return row.value;
}
