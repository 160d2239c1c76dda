// Terms that end on the dates of TERM_ENDS. The tests move the clock of the real app.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { toTime, restartAt, setClock } from '#tests/support/digests.ts';
import { runCommand } from '#tests/support/run-command.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import type { TestClient } from '#tests/support/test-client.ts';

const toDayLater = (days: number) => new Date(toTime('12:00', days)).toISOString().slice(0, 10);
const fall = `Fall ${toDayLater(10)}`;
const settings = { TERM_ENDS: `${fall}, spring ${toDayLater(180)}`, TIME_ZONE: 'UTC' };
const patience = { timeout: 30_000 };

let app: RunningApp;
let ada: TestClient;
beforeEach(async () => {
  setClock(toTime('09:00'));
  app = await startApp(settings);
  ada = await app.createStudent();
});
afterEach(async () => {
  await app.stop();
  vi.useRealTimers();
});

const listStatuses = async () =>
  Object.fromEntries(
    (await app.database.query('select "classId", status from classes')).map((row) => [
      String(row['classId']),
      row['status'],
    ]),
  );
const listLogged = (event: string) =>
  app.logLines
    .map((line) => JSON.parse(line) as { event: string; term?: string; count?: number })
    .filter((line) => line.event === event)
    .map(({ term, count }) => ({ term, count }));
const listEnds = () => listLogged('term.ended');

test('a class of the season ends on the day after the date, unless it is created later [TERM-1, TERM-2, TERM-3]', async () => {
  const first = await ada.createClass();
  const second = await ada.createClass();
  const spring = await ada.createClass({ semesterSeason: 'Spring' });
  await ada.post(first, 'Said in the fall');
  const saltsBefore = await app.database.query('select salt from classes');

  await restartAt(app, toTime('23:50', 2));
  expect(listLogged('term.upcoming')).toEqual([]);

  await restartAt(app, toTime('00:10', 3));
  await expect
    .poll(() => listLogged('term.upcoming'), patience)
    .toEqual([{ term: fall, count: 2 }]);

  await restartAt(app, toTime('23:50', 10));
  await expect.poll(() => listLogged('term.upcoming').length, patience).toBe(2);
  expect(await listStatuses()).toEqual({
    [first]: 'active',
    [second]: 'active',
    [spring]: 'active',
  });

  // As if the server was killed between the first class and the second.
  await app.restart(async () => {
    setClock(toTime('00:10', 11));
    await app.database.query(
      `update classes set status = 'archived' where "classId" = '${second}'`,
    );
  });
  await expect.poll(listEnds, patience).toEqual([{ term: fall, count: 1 }]);
  expect(await listStatuses()).toEqual({
    [first]: 'archived',
    [second]: 'archived',
    [spring]: 'active',
  });

  const countKeptSalts = async () => {
    const salts = await app.database.query('select salt from classes');
    return salts.filter(({ salt }) => saltsBefore.some((row) => row['salt'] === salt)).length;
  };
  // Operators can reopen it, and then its links go. ADMIN-40
  expect(await countKeptSalts()).toBe(3);

  await restartAt(app, toTime('00:10', 19));
  await expect.poll(countKeptSalts, patience).toBe(2);

  // The fall of next year, and a class that is active again, such as a restored one.
  const browser = ada.newBrowser();
  await browser.signIn();
  const next = await browser.createClass();
  await app.restart(async () => {
    setClock(toTime('00:10', 30));
    await app.database.query(`update classes set status = 'active' where "classId" = '${second}'`);
  });
  const winter = `Winter ${toDayLater(20)}`;
  await app.restart(undefined, { ...settings, TERM_ENDS: `${fall}, ${winter}` });
  await expect
    .poll(() => listLogged('term.upcoming').at(-1), patience)
    .toEqual({ term: winter, count: 0 });
  expect(await listStatuses()).toMatchObject({ [next]: 'active', [second]: 'active' });
  expect(listEnds()).toHaveLength(1);
});

test('a date in the past ends classes only after it was announced for a day [TERM-2]', async () => {
  const classId = await ada.createClass();
  await app.restart(async () => setClock(toTime('09:00', 50)), { TERM_ENDS: '' });

  await app.restart(undefined, settings);
  await expect
    .poll(() => listLogged('term.upcoming'), patience)
    .toEqual([{ term: fall, count: 1 }]);

  await app.restart(async () => setClock(toTime('23:50', 50)), settings);
  await expect.poll(() => listLogged('term.upcoming').length, patience).toBe(2);
  expect(await listStatuses()).toEqual({ [classId]: 'active' });

  const doctorSettings = { ...app.database.settings, ...settings };
  const doctor = await runCommand('doctor', [], doctorSettings);
  expect(doctor.output).toContain(`${fall}: 1 class end`);

  await app.restart(async () => setClock(toTime('00:10', 51)), settings);
  await expect.poll(listStatuses, patience).toEqual({ [classId]: 'archived' });
});

test.each(['Pacific/Honolulu', 'Pacific/Auckland'])(
  'a class that is created on the last evening of a term ends at midnight in %s [TERM-1]',
  async (timeZone) => {
    const onLastDay = (time: string) =>
      Temporal.PlainDateTime.from(`${toDayLater(10)}T${time}`).toZonedDateTime(timeZone)
        .epochMilliseconds;
    const moveClock = (time: number) =>
      app.restart(async () => setClock(time), { TIME_ZONE: timeZone });

    await moveClock(toTime('12:00', 5));
    await expect.poll(() => listLogged('term.upcoming').length, patience).toBe(1);

    await moveClock(onLastDay('20:00'));
    const classId = await ada.createClass();
    await moveClock(onLastDay('23:50'));
    await expect
      .poll(() => listLogged('term.upcoming').at(-1), patience)
      .toEqual({ term: fall, count: 1 });
    expect(await listStatuses()).toEqual({ [classId]: 'active' });

    await moveClock(onLastDay('23:50') + 20 * 60_000);

    await expect.poll(listStatuses, patience).toEqual({ [classId]: 'archived' });
  },
);
