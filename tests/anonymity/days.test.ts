// People join and write on different days. An attacker has one copy of the database, or the copies of a month.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startFakeSmtp, type FakeSmtp } from '#tests/support/fake-smtp.ts';
import { startApp, type RunningApp } from '#tests/support/running-app.ts';
import {
  attackChanges,
  attackCopy,
  runDays,
  describeSuccesses,
  listColumnsWithDays,
  type Copy,
  type Weeks,
} from './days.ts';
import { shuffle, size } from './school.ts';

/** Each joins on another day, before the month of the copies. */
const joiningDays = size;
const endDay = joiningDays + 30;

/** A third writes on one day only. */
const students = Array.from({ length: size }, (_, n) => {
  const joins = n;
  // A session that is not used for 30 days ends.
  const lastDay = Math.min(endDay, joins + 30);
  const days = Array.from({ length: lastDay - joiningDays }, (__, day) => joiningDays + day);
  const times = n % 3 === 0 ? 1 : 2 + (n % 4);
  // Half of them also write on the day on which they join.
  return { joins, writes: [...(n % 2 === 0 ? [joins] : []), ...shuffle(days).slice(0, times)] };
});

let smtp: FakeSmtp;
let app: RunningApp;
let weeks: Weeks;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  smtp = await startFakeSmtp();
  const settings = { EMAIL_VERIFICATION: 'off', UNUSED_ACCOUNT_MONTHS: '24', DIGEST_TIME: 'off' };
  app = await startApp({ SMTP_URL: smtp.url, ...settings });
  weeks = await runDays(app, students, { from: joiningDays, endDay: endDay });
});
afterAll(async () => {
  await app.stop();
  await smtp.stop();
  vi.useRealTimers();
});

test('a copy of the database pairs no account with a persona by a day, an order or a size [ANON-51]', () => {
  for (const copy of [weeks.copies[0]!, weeks.copies.at(-1)!]) {
    expect(describeSuccesses(attackCopy(copy, weeks.truth))).toEqual([]);
  }
});

test('daily copies of a month pair no account with a persona by what changes between them [ANON-52]', () => {
  expect(describeSuccesses(attackChanges(weeks.copies, weeks.truth, joiningDays))).toEqual([]);
});

test('no column of a month’s daily copies tells rows of a table apart by the days on which they change [ANON-52]', () => {
  expect(listColumnsWithDays(weeks.copies)).toEqual([]);
});

test('the attack finds a column that has the day of joining or changes with each visit [ANON-51, ANON-52]', () => {
  const planted = weeks.copies.map((copy, n) => plant(copy, joiningDays + n));

  const ofOne = describeSuccesses(attackCopy(planted.at(-1)!, weeks.truth));
  const ofMonth = describeSuccesses(attackChanges(planted, weeks.truth, joiningDays));

  expect(ofOne.join()).toContain('accounts.lastVisit, last day, on the same day');
  expect(ofMonth.join()).toContain('accounts.lastVisit: changes');
  expect(listColumnsWithDays(planted)).toContain('accounts.lastVisit');
});

/** Adds the day of the last message of its persona to each account. */
function plant(copy: Copy, today: number): Copy {
  const lastVisits = new Map(
    [...weeks.truth].map(([id, memberId]) => {
      const memberRows = copy['messages']!.filter((row) => row['memberId'] === memberId);
      return [id, Math.max(0, ...memberRows.map(({ createdAt }) => Number(createdAt)))];
    }),
  );
  expect(today).toBeLessThan(endDay);
  const accounts = copy['accounts']!.map((row) => ({
    ...row,
    lastVisit: lastVisits.get(String(row['id'])) ?? 0,
  }));
  return { ...copy, accounts };
}
