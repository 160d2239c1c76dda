// A data folder on SQLite, and an empty PostgreSQL database that its data can move to.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from './test-database.ts';

export interface TwoEngines {
  readonly folder: TestDatabase;
  readonly postgres: TestDatabase;
  /** The settings of a server with the folder's key and pictures, on PostgreSQL. */
  moved(): { DATA_DIR: string; DATABASE_URL: string; SECRET_KEY: string };
  /** Adds another empty PostgreSQL database. */
  addPostgres(): Promise<TestDatabase>;
  drop(): Promise<void>;
}

/** Creates a database on each engine. Only the PostgreSQL run has tests that use both. */
export async function createTwoEngines(): Promise<TwoEngines> {
  const folder = await createTestDatabase('');
  const postgres = await createTestDatabase();
  const all = [folder, postgres];
  return {
    folder,
    postgres,
    moved() {
      const { DATA_DIR } = folder.settings;
      const SECRET_KEY = readFileSync(join(DATA_DIR, 'server.key'), 'utf8').trim();
      return { DATA_DIR, DATABASE_URL: postgres.settings.DATABASE_URL!, SECRET_KEY };
    },
    async addPostgres() {
      const database = await createTestDatabase();
      all.push(database);
      return database;
    },
    async drop() {
      for (const database of all) await database.drop();
    },
  };
}
