// The days in rows of accounts, which are encrypted: those of an earlier version, after a new key, and after their end.
import { describe, expect, test, vi } from 'vitest';
import { changeKey } from '#tests/support/change-key.ts';
import type { RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { quoteEmail } from '#tests/support/test-database.ts';

const within = { timeout: 30_000, interval: 50 };

/** Restarts the server as on another day, and waits until its daily run is done. */
async function runDaily(app: RunningApp, change: () => Promise<unknown>): Promise<void> {
  const ranOn = `from "serverMetadata" where name = 'accountsResealedOn'`;
  await app.restart(async () => {
    await app.database.query(`delete ${ranOn}`);
    await change();
  });
  await vi.waitUntil(
    async () => (await app.database.query(`select value ${ranOn}`)).length > 0,
    within,
  );
}

interface Export {
  createdDay: string;
  devices: { signedInDay: string }[];
  classes: { joinedDay: string; notify: string }[];
}

async function getDays(student: TestClient) {
  const response = await student.fetch('/api/me/export');
  const { createdDay, devices, classes } = (await response.json()) as Export;
  const { joinedDay, notify } = classes[0]!;
  return { createdDay, signedInDay: devices[0]!.signedInDay, joinedDay, notify };
}

describe('days and choices that an earlier version stored', () => {
  const app = setUpApp();
  const stored = {
    createdDay: '2024-03-05',
    signedInDay: '2024-03-07',
    joinedDay: '2024-03-06',
    notify: 'all',
  };

  test('days and choices that an earlier version stored are encrypted by the next daily run, and their owner still sees them, with a new server key, too [ANON-51, JOIN-10]', async () => {
    const { query } = app.database;
    const ada = await app.createStudent();
    await ada.createClass();
    const soon = new Date(Date.now() + 20 * 86_400_000).toISOString();

    await runDaily(app, async () => {
      await query(
        `update accounts set times = null, "createdAt" = '${stored.createdDay}T00:00:00.000Z'`,
      );
      await query(
        `update sessions set times = null, "createdAt" = '${stored.signedInDay}T00:00:00.000Z', "expiresAt" = '${soon}'`,
      );
      await query(`update enrollments set content = null, "joinedDay" = 19788, notify = 'all'`);
    });

    expect(await app.database.content()).not.toContain('2024-03-0');
    const [enrollment] = (await app.database.tables())['enrollments']!;
    expect(enrollment).toMatchObject({ joinedDay: 0, notify: null });
    expect(await getDays(ada)).toEqual(stored);

    await changeKey(app);
    await ada.signIn();

    const { signedInDay: _, ...kept } = stored;
    expect(await getDays(ada)).toMatchObject(kept);
  });
});

describe('what has expired', () => {
  const app = setUpApp();

  test('what has expired is deleted by daily runs: a link by the next one, a session by a random one [ANON-53]', async () => {
    const { query } = app.database;
    const ben = await app.createStudent();
    const [account] = await query(`select id from accounts where email = ${quoteEmail(ben.email)}`);
    const id = String(account!['id']);
    const past = '2024-03-05T00:00:00.000Z';
    const rows = Array.from(
      { length: 300 },
      (_, n) => `('expired ${n}', 'token ${n}', '${id}', '${past}', '${past}', '${past}')`,
    );

    await runDaily(app, async () => {
      await query(
        `insert into sessions (id, token, "userId", "createdAt", "updatedAt", "expiresAt") values ${rows.join()}`,
      );
      await query(
        `insert into verifications (id, identifier, value, "createdAt", "updatedAt", "expiresAt")
       values ('expired', 'hash', '${id}', '${past}', '${past}', '${past}')`,
      );
    });

    const left = await query(`select id from sessions where id like 'expired %'`);
    expect(left.length).toBeGreaterThan(200);
    expect(left.length).toBeLessThan(300);
    expect(await query(`select id from verifications where id = 'expired'`)).toEqual([]);
  });
});
