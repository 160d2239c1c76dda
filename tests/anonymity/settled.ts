// PostgreSQL's rows of accounts keep the order of their changes until the server has rewritten them (ANON-28).
import { vi } from 'vitest';
import { listTables } from '#server/store/tables.ts';
import type { RunningApp } from '#tests/support/running-app.ts';

export const onPostgres = process.env['BACKCHANNEL_TEST_DATABASE'] !== '';

const patience = { timeout: 60_000, interval: 250 };

/** Resolves when one transaction has rewritten all rows of each table. A table has at most 500 of them in tests. */
export async function waitUntilSettled(app: RunningApp): Promise<void> {
  if (!onPostgres) return;
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
