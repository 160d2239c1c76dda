// The order of the last changes can be read until the server has emptied SQLite's -wal file, or rewritten PostgreSQL's rows of
// accounts (ANON-28).
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { listTables } from '#server/store/tables.ts';
import type { RunningApp } from '#tests/support/running-app.ts';

export const onPostgres = process.env['BACKCHANNEL_TEST_DATABASE'] !== '';

const patience = { timeout: 60_000, interval: 250 };

/**
 * Resolves when SQLite's -wal file is empty, or one transaction of PostgreSQL has rewritten all rows of each table. A table has at
 * most 500 of them in tests.
 */
export async function waitUntilSettled(app: RunningApp): Promise<void> {
  if (!onPostgres) {
    const walFile = join(app.database.settings.DATA_DIR, 'backchannel.sqlite-wal');
    await vi.waitUntil(() => !existsSync(walFile) || statSync(walFile).size === 0, patience);
    return;
  }
  for (const { table } of listTables('rewrittenColumn')) {
    // They are large, and rewritten in several transactions.
    if (table === 'registers') continue;
    const sql = `select distinct xmin::text as writer from "${table}"`;
    await vi.waitUntil(async () => (await app.database.query(sql)).length <= 1, patience);
  }
}

/** Resolves when the run of this day has sealed the accounts. Later accounts wait for the next day. */
export async function waitUntilResealed(app: RunningApp): Promise<void> {
  const sql = `select 1 from "serverMetadata" where name = 'accountsResealedOn'`;
  await vi.waitUntil(async () => (await app.database.query(sql)).length > 0, patience);
}
