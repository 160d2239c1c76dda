// The encrypted days in the rows of accounts.
import { describe, expect, test, vi } from 'vitest';
import { getToday } from '#server/base/days.ts';
import { changeKey } from '#tests/support/change-key.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import {
  changeStoredAccounts,
  changeStoredSessions,
  insertStoredSession,
  listStoredSessions,
} from '#tests/support/stored-accounts.ts';

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
    const ada = await app.createStudent();
    const [created, signedIn] = [19_787, 19_789];
    const end = getToday() + 20;

    await runDaily(app, async () => {
      await changeStoredAccounts(app.database, null, { createdDay: created });
      await changeStoredSessions(app.database, { createdDay: signedIn, endDay: end });
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
