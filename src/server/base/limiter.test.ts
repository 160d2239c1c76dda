import { describe, expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import { createExpiringTimes, createLimiter } from './limiter.ts';
import { loadConfig } from '#server/config/config.ts';
import type { RateName } from './rates.ts';

function createLimited(LIMITS = '') {
  const clock = { now: 0 };
  const limiter = createLimiter(loadConfig({ LIMITS }).rates, () => clock.now);
  /** Returns the time to wait, or 0 if it was taken. */
  const take = (name: RateName, key = 'ada', cost?: number): number => {
    try {
      limiter.take(name, key, cost);
      return 0;
    } catch (error) {
      expect(error).toMatchObject({ code: 'TOO_MANY' });
      return (error as AppError).retryAfterMs ?? NaN;
    }
  };
  return { clock, limiter, take };
}

describe('a limit', () => {
  test('a limit allows a burst, then refills evenly [LIMIT-20]', () => {
    const { clock, take } = createLimited('posts=4/20s');
    expect([1, 2, 3, 4].map(() => take('posts'))).toEqual([0, 0, 0, 0]);
    expect(take('posts')).toBe(5000);
    clock.now = 4999;
    expect(take('posts')).toBe(1);
    clock.now = 5000;
    expect(take('posts')).toBe(0);
    expect(take('posts')).toBe(5000);
    clock.now = 25_000;
    expect([1, 2, 3, 4].map(() => take('posts'))).toEqual([0, 0, 0, 0]);
    expect(take('posts')).toBe(5000);
  });

  test('a limit does not count rejected actions, and counts each key and limit separately [LIMIT-20]', () => {
    const { clock, take } = createLimited('posts=1/1s, edits=1/1s');
    expect(take('posts')).toBe(0);
    for (let tries = 0; tries < 50; tries++) expect(take('posts')).toBe(1000);
    expect(take('posts', 'ben')).toBe(0);
    expect(take('edits')).toBe(0);
    clock.now = 1000;
    expect(take('posts')).toBe(0);
  });

  test('a limit takes all of several actions, or none of them [LIMIT-24, LIMIT-20]', () => {
    const { take } = createLimited('searches=10/10s');
    expect(take('searches', 'ada', 8)).toBe(0);
    expect(take('searches', 'ada', 4)).toBe(2000);
    expect(take('searches', 'ada', 2)).toBe(0);
  });

  test('a limit counts nothing if it is off [CONF-15]', () => {
    const { limiter, take } = createLimited('posts=off, frames=off');
    for (let n = 0; n < 1000; n++) {
      expect([take('posts'), limiter.reserve('frames', 'ada')]).toEqual([0, 0]);
    }
  });

  test('a limit delays frames by one period at most, and takes none that would wait longer [LIMIT-25]', () => {
    const { clock, limiter } = createLimited('frames=2/10s');
    const waits = [1, 2, 3, 4, 5, 6].map(() => limiter.reserve('frames', 'ada'));
    expect(waits).toEqual([0, 0, 5000, 10_000, Infinity, Infinity]);
    clock.now = 20_000;
    expect(limiter.reserve('frames', 'ada')).toBe(0);
  });

  test('a limit refunds an action', () => {
    const { limiter, take } = createLimited('posts=1/1h');
    expect(take('posts')).toBe(0);
    limiter.refund('posts', 'ada');
    expect([take('posts'), take('posts')]).toEqual([0, 3_600_000]);
  });
});

describe('the store of a limit', () => {
  test('the store of a limit evicts the least recently used key if it is full [LIMIT-28]', () => {
    const times = createExpiringTimes(3);
    for (const [n, key] of ['a', 'b', 'c', 'a', 'd'].entries()) times.set(key, 100, n);
    expect(['a', 'b', 'c', 'd'].map((key) => times.get(key))).toEqual([100, undefined, 100, 100]);
  });

  test('the store of a limit drops times that have passed [LIMIT-28]', () => {
    const times = createExpiringTimes();
    for (let n = 0; n < 50; n++) times.set(`key ${n}`, n + 10, n);
    expect(times.size).toBe(10);
  });
});

const second = 1000;
test.each([
  ['signUps', 2000, 0.3 * second],
  ['signIns', 1000, 0.6 * second],
  ['failedSignInsOfAccount', 100, 6 * second],
  ['suspectSignIns', 30, 20 * second],
  ['signUpMails', 3, 1200 * second],
  ['resetMails', 3, 1200 * second],
  ['resets', 1000, 0.6 * second],
  ['mails', 30, 120 * second],
  ['rightPasswords', 20, 30 * second],
  ['hallCodes', 20, 180 * second],
  ['allHallCodes', 60, 60 * second],
  ['outsideReports', 20, 4320 * second],
  ['allOutsideReports', 100, 864 * second],
  ['outsideMails', 3, 28_800 * second],
  ['posts', 30, second / 3],
  ['textKilobytes', 20_000, 4320],
  ['edits', 30, second / 3],
  ['deletes', 30, second / 3],
  ['reactions', 30, second / 3],
  ['uploads', 100, 6 * second],
  ['pdfs', 10, 360 * second],
  ['exports', 10, 360 * second],
  ['unmaskings', 10, 8640 * second],
  ['accountSearches', 100, 864 * second],
  ['searches', 20, second / 20],
  ['messageSearches', 40, second / 4],
  ['privateTexts', 500, 172.8 * second],
  ['newClasses', 50, 1728 * second],
  ['memberships', 60, second],
  ['historyPages', 200, 0.05 * second],
  ['subscriptions', 2000, 0.03 * second],
  ['readMarks', 100, 0.1 * second],
  ['sockets', 120, 0.5 * second],
  ['pictures', 600, second / 60],
  ['calls', 300, second / 30],
  ['visits', 3000, second / 300],
  ['refusals', 20, second / 2],
] as const)(
  '%s: allows a burst of %i, then one each %d ms [LIMIT-2, LIMIT-35, LIMIT-54, LIMIT-5, LIMIT-24, LIMIT-50, LIMIT-51, LIMIT-31, LIMIT-33, LIMIT-34, LIMIT-61, LIMIT-62, LIMIT-63, PDF-14]',
  (name, count, eachMs) => {
    const { take } = createLimited();
    for (let n = 0; n < count; n++) expect(take(name)).toBe(0);
    expect(take(name)).toBe(Math.ceil(eachMs));
  },
);

test('reads 1,000 frames immediately, then 100 a second [LIMIT-25]', () => {
  const { limiter } = createLimited();
  for (let n = 0; n < 1000; n++) expect(limiter.reserve('frames', 'ada')).toBe(0);
  expect([1, 2].map(() => Math.round(limiter.reserve('frames', 'ada')))).toEqual([10, 20]);
});
