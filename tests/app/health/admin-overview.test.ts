// The overview of operators: the state of the server, and numbers too coarse to tell one person's action.
import { describe, expect, test, vi } from 'vitest';
import type { CallReply } from '#contract/http.ts';
import { grantRole } from '#tests/support/moderation.ts';
import { runAdminCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';
import { changeStoredAccounts } from '#tests/support/stored-accounts.ts';

// Renewals follow quickly, so that no test waits for a minute.
vi.mock(import('#server/base/noisy-gauge.ts'), async (load) => ({
  ...(await load()),
  renewalMs: 20,
}));

const app = setUpApp();
const dayMs = 86_400_000;
const getToday = () => Math.floor(Date.now() / dayMs);
const toIsoDay = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10);

async function createOperator(runningApp: RunningApp): Promise<TestClient> {
  const operator = await runningApp.createStudent();
  await grantRole(runningApp, operator, null, 'Kim');
  return operator;
}

type Daily = CallReply<'readOverview'>['daily'];
const findDay = (daily: Daily, day: number) => daily.find((item) => item.day === toIsoDay(day));

/** Messages of a class, at the noon of a day. */
async function writeOn(author: TestClient, classId: string, day: number, count: number) {
  const socket = await author.connect();
  const posts = Array.from({ length: count }, (_, n) => socket.post(classId, `Message ${n}`));
  const ids = (await Promise.all(posts)).map(({ id }) => `'${id}'`);
  await app.database.query(
    `update messages set "createdAt" = ${day * dayMs + dayMs / 2} where id in (${ids.join()})`,
  );
}

describe('the overview', () => {
  test('the overview tells only operators the version and the health of each part [ADMIN-16]', async () => {
    const operator = await createOperator(app);
    // The role of the last operator stays.
    await createOperator(app);
    const { version, parts, sizes, sockets, warnings } = await operator.call('readOverview', {});
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    expect(parts.map(({ part, health }) => [part, health])).toEqual([
      ['disk', expect.stringMatching(/^(good|warning)$/)],
      ['database', 'good'],
      ['mail', 'warning'],
      ['pictures', 'good'],
      ['search', 'good'],
      ['backups', 'warning'],
      ['server key', 'warning'],
    ]);
    for (const bytes of Object.values(sizes)) expect(Number(bytes) % (128 * 1024 * 1024)).toBe(0);
    expect(sockets % 10).toBe(0);
    expect(warnings).toEqual([]);

    const student = await app.createStudent();
    await student.createClass();
    await expect(student.call('readOverview', {})).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
    expect(
      await runAdminCommand(app.database.settings, 'revoke-role', operator.email),
    ).toMatchObject({
      code: 0,
    });
    await expect(operator.call('readOverview', {})).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
  });

  test('the overview counts messages and sign-ups of the last 14 complete days, in steps [ADMIN-17, ADMIN-18]', async () => {
    const operator = await createOperator(app);
    const classId = await operator.createClass();
    const other = await operator.createClass();
    for (let n = 0; n < 4; n++) await writeOn(operator, classId, getToday() - 15, 25);
    for (let n = 0; n < 8; n++) await writeOn(operator, classId, getToday() - 14, 25);
    for (let n = 0; n < 4; n++) await writeOn(operator, other, getToday() - 14, 25);
    await writeOn(operator, other, getToday() - 1, 1);
    await operator.post(other, 'Today');
    for (let n = 0; n < 25; n++) await app.createStudent();
    await changeStoredAccounts(app.database, null, { createdDay: getToday() - 2 });
    await app.restart();

    const { daily } = await operator.call('readOverview', {});
    expect(daily.map(({ day }) => day)).toEqual(
      Array.from({ length: 14 }, (_, n) => toIsoDay(getToday() - 14 + n)),
    );
    // 300 messages, which no rounding changes.
    expect(findDay(daily, getToday() - 14)?.messageTotal).toBe(300);
    expect([0, 100]).toContain(findDay(daily, getToday() - 1)?.messageTotal);
    expect(findDay(daily, getToday() - 5)).toMatchObject({ messageTotal: 0, signUpTotal: 0 });

    const signUps = findDay(daily, getToday() - 2)?.signUpTotal ?? 0;
    expect(signUps % 10).toBe(0);
    expect(signUps).toBeGreaterThanOrEqual(20);
  });

  test('the overview keeps the numbers of a day that it has counted [ADMIN-18, ANON-3]', async () => {
    const operator = await createOperator(app);
    const { daily } = await operator.call('readOverview', {});

    await app.database.query(`update messages set "createdAt" = ${(getToday() - 3) * dayMs}`);

    for (let n = 0; n < 3; n++) {
      expect((await operator.call('readOverview', {})).daily).toEqual(daily);
    }
  });

  test('the overview gives the same numbers after a restart and by command [ADMIN-18, ADMIN-17]', async () => {
    const operator = await createOperator(app);
    await app.restart();
    const { daily } = await operator.call('readOverview', {});

    const { code, out } = await runAdminCommand(app.database.settings, 'overview', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ daily });

    const { out: text } = await runAdminCommand(app.database.settings, 'overview');
    expect(text).toContain(toIsoDay(getToday() - 1));

    await app.restart();
    expect((await operator.call('readOverview', {})).daily).toEqual(daily);
  });
});

test('the overview names a mail server that does not answer [ADMIN-16, ADMIN-19]', async () => {
  const unmailedApp = await startApp({
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'a@university.edu',
    EMAIL_VERIFICATION: 'off',
  });
  try {
    const operator = await createOperator(unmailedApp);
    const { parts } = await operator.call('readOverview', {});
    expect(parts.find(({ part }) => part === 'mail')).toMatchObject({ health: 'failed' });
    const listWarnings = async () => (await operator.call('readOverview', {})).warnings;
    await expect
      .poll(listWarnings)
      .toContainEqual({ event: 'mail.unreachable', day: toIsoDay(getToday()), times: null });
  } finally {
    await unmailedApp.stop();
  }
});
