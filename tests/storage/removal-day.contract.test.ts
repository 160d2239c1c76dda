// The day by which removals judge what is due, while the clock jumps.
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { getToday } from '#server/base/days.ts';
import { createRemovalDay } from '#server/store/removal-day.ts';
import { deleteMetadata } from '#server/store/server-metadata-queries.ts';
import { addAccount, openStorage, type OpenedStorage } from './opened-storage.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;
const start = Date.parse('2030-05-10T12:00:00Z');
let storage: OpenedStorage;
let findRemovalDay: () => Promise<number>;
beforeEach(async () => {
  storage = await openStorage();
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: start });
  findRemovalDay = createRemovalDay(storage);
  await findRemovalDay();
});
afterEach(async () => {
  vi.useRealTimers();
  await storage.close();
});

test('the removal day follows the clock from day to day [RETAIN-7]', async () => {
  for (let day = 1; day < 5; day++) {
    vi.setSystemTime(start + day * dayMs);
    expect(await findRemovalDay()).toBe(getToday());
  }
});

test('the removal day rises by one every six hours while the clock is ahead of it [RETAIN-7]', async () => {
  const first = getToday();
  vi.setSystemTime(start + 10 * dayMs);

  expect(await findRemovalDay()).toBe(first);
  expect(await createRemovalDay(storage)()).toBe(first);

  vi.advanceTimersByTime(5 * hourMs);
  expect(await findRemovalDay()).toBe(first);

  vi.advanceTimersByTime(hourMs);
  expect(await findRemovalDay()).toBe(first + 1);
  expect(await findRemovalDay()).toBe(first + 1);
});

test('the removal day is never later than the clock says [RETAIN-7]', async () => {
  vi.setSystemTime(start - 3 * dayMs);
  expect(await findRemovalDay()).toBe(getToday());

  vi.setSystemTime(0);
  expect(await findRemovalDay()).toBe(0);

  vi.setSystemTime(start + dayMs);
  expect(await findRemovalDay()).toBe(getToday());
});

test('the first removal day after an upgrade counts only after six hours [RETAIN-7]', async () => {
  await addAccount(storage);
  await storage.commits.write(({ db }) => deleteMetadata(db, 'lastSeenDay'), 'independent');
  findRemovalDay = createRemovalDay(storage);
  const rightDay = getToday();
  vi.setSystemTime(start + 400 * dayMs);

  expect(await findRemovalDay()).toBeLessThan(rightDay);

  vi.setSystemTime(start);
  vi.advanceTimersByTime(6 * hourMs);

  expect(await findRemovalDay()).toBe(rightDay);
});
