// The encrypted days in the rows of accounts.
import { describe, expect, test, vi } from 'vitest';
import type { RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { insertStoredSession, listStoredSessions } from '#tests/support/stored-accounts.ts';

const patience = { timeout: 30_000, interval: 50 };

/** Restarts the server as if on another day, and waits until its daily run is done. */
async function runDaily(app: RunningApp, change: () => Promise<unknown>): Promise<void> {
  const ranOn = `from "serverMetadata" where name = 'accountsResealedOn'`;
  await app.restart(async () => {
    await app.database.query(`delete ${ranOn}`);
    await change();
  });
  await vi.waitUntil(
    async () => (await app.database.query(`select value ${ranOn}`)).length > 0,
    patience,
  );
}

describe('expired rows', () => {
  const app = setUpApp();

  test('the daily run deletes expired sessions [AUTH-47]', async () => {
    const ben = await app.createStudent();
    const session = { device: 'Firefox', createdDay: 20_000, endDay: 20_030 };

    await runDaily(app, async () => {
      for (const id of ['first', 'second']) {
        await insertStoredSession(app.database, ben.email, { id, ...session });
      }
    });

    expect(await listStoredSessions(app.database)).toHaveLength(1);
    expect(await ben.call('me', {})).toMatchObject({ account: { email: ben.email } });
  });
});
