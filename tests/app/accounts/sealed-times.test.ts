// The encrypted days in the rows of accounts.
import { describe, expect, test, vi } from 'vitest';
import { changeKey } from '#tests/support/change-key.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { quoteEmail } from '#tests/support/test-database.ts';

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

interface Export {
  createdDay: string;
  devices: { signedInDay: string }[];
}

async function getDays(student: TestClient) {
  const response = await student.fetch('/api/me/export');
  const { createdDay, devices } = (await response.json()) as Export;
  return { createdDay, signedInDay: devices[0]!.signedInDay };
}

describe('days that an earlier version stored', () => {
  const app = setUpApp();
  const storedDays = {
    createdDay: '2024-03-05',
    signedInDay: '2024-03-07',
  };

  test('the daily run encrypts days of an earlier version, and their owner still sees them [ANON-51]', async () => {
    const { query } = app.database;
    const ada = await app.createStudent();
    const soon = new Date(Date.now() + 20 * 86_400_000).toISOString();

    await runDaily(app, async () => {
      await query(
        `update accounts set times = null, "createdAt" = '${storedDays.createdDay}T00:00:00.000Z'`,
      );
      await query(
        `update sessions set times = null, "createdAt" = '${storedDays.signedInDay}T00:00:00.000Z', "expiresAt" = '${soon}'`,
      );
    });

    // Replaced values leave the file a moment later.
    await expect.poll(() => app.database.content(), patience).not.toContain('2024-03-0');

    expect(await getDays(ada)).toEqual(storedDays);

    await changeKey(app);
    await ada.signIn();

    expect(await getDays(ada)).toMatchObject({ createdDay: storedDays.createdDay });
  });
});

describe('expired rows', () => {
  const app = setUpApp();

  test('the daily run deletes expired links and some of the expired sessions [ANON-53]', async () => {
    const { query } = app.database;
    const ben = await app.createStudent();
    const [account] = await query(`select id from accounts where email = ${quoteEmail(ben.email)}`);
    const id = String(account!['id']);
    const pastTime = '2024-03-05T00:00:00.000Z';
    const rows = Array.from(
      { length: 300 },
      (_, n) =>
        `('expired ${n}', 'token ${n}', '${id}', '${pastTime}', '${pastTime}', '${pastTime}')`,
    );

    await runDaily(app, async () => {
      await query(
        `insert into sessions (id, token, "userId", "createdAt", "updatedAt", "expiresAt") values ${rows.join()}`,
      );
      await query(
        `insert into verifications (id, identifier, value, "createdAt", "updatedAt", "expiresAt")
       values ('expired', 'hash', '${id}', '${pastTime}', '${pastTime}', '${pastTime}')`,
      );
    });

    const remainingSessions = await query(`select id from sessions where id like 'expired %'`);
    expect(remainingSessions.length).toBeGreaterThan(200);
    expect(remainingSessions.length).toBeLessThan(300);
    expect(await query(`select id from verifications where id = 'expired'`)).toEqual([]);
  });
});
