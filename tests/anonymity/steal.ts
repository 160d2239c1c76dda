// Takes what a thief can take from a running server.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestDatabase } from '#tests/support/test-database.ts';
import type { Region, StolenCopy } from './stolen-copy.ts';
import { stealPostgres } from './stolen-postgres.ts';
import { stealSqlite } from './stolen-sqlite.ts';

/** Copies the data folder, or PostgreSQL's files, while the server runs. */
export async function steal(database: TestDatabase): Promise<StolenCopy> {
  const folder = database.settings.DATA_DIR;
  const otherFiles = readOtherFiles(folder);
  const copy = database.settings.DATABASE_URL
    ? await stealPostgres(database)
    : stealSqlite(join(folder, 'backchannel.sqlite'));
  return { ...copy, regions: [...copy.regions, ...otherFiles] };
}

/** The names and bytes of the other files. Mails lie in the folder only without a mail server. */
function readOtherFiles(folder: string): Region[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/[/]mail[/]|[/]server\.key$|[/]backchannel\.sqlite[^/]*$/.test(file))
    .map((file) => ({
      file: 'another file',
      table: '',
      bytes: Buffer.concat([Buffer.from(`${file}\n`), readFileSync(file)]),
    }));
}
