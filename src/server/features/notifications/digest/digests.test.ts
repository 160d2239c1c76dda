import { createSecretKey, randomBytes } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { createDigestLinks } from './digest-links.ts';
import type { StoredProgress } from './digest-progress.ts';
import { Digests } from './digests.ts';

const key = createSecretKey(randomBytes(32));
const start = Date.parse('2026-11-22T17:00:00Z');
const minuteMs = 60_000;

/** The rounds of many accounts, without a database: which were checked, and which got a mail. */
function createRounds(
  accounts: number,
  { time = { startMinute: 17 * 60, timeZone: 'UTC' }, isKnown = true } = {},
) {
  let storedProgress: StoredProgress = { progress: isKnown ? null : 'unknown', value: null };
  const checkedIds: string[] = [];
  const mailed: string[] = [];
  const state = { waitingMails: 0, lostAnswers: 0, allowedWarnings: [] as string[] };
  const run = () => {
    const digests = new Digests({
      db: {} as never,
      commits: {
        async write(change: (unitOfWork: never) => Promise<unknown>) {
          const result = await change({ db: {} } as never);
          if (state.lostAnswers === 0) return result;
          state.lostAnswers -= 1;
          throw new AppError('UNAVAILABLE');
        },
      } as never,
      mails: {
        async insertDigests(_, newDigests) {
          mailed.push(...newDigests.map(({ accountId }) => accountId));
        },
        countWaiting: async () => state.waitingMails,
      },
      time,
      orderKey: key,
      progress: {
        read: async () => storedProgress,
        async write(_, previousValue, progress) {
          if (storedProgress.value !== previousValue) throw new AppError('UNAVAILABLE');
          const value = JSON.stringify(progress);
          storedProgress = { progress, value };
          return value;
        },
      },
      async *listAccounts() {
        for (let n = 0; n < accounts; n += 10) {
          yield Array.from({ length: 10 }, (_, offset) => `account ${n + offset}`);
        }
      },
      async findRecipient(accountId) {
        checkedIds.push(accountId);
        return { to: `${accountId}@university.edu`, language: 'en' };
      },
      listMissed: async () => [{ label: 'CS 146', atLeast: 1 }],
      links: createDigestLinks(key, 'https://chat.university.edu'),
      lease: { isHeld: () => true, confirm: async () => {} },
      settings: { appName: 'Backchannel', origin: 'https://chat.university.edu' },
      log: { warn: (event: string) => expect(state.allowedWarnings).toContain(event) } as never,
    });
    return () => digests.stop();
  };
  return { run, checkedIds, mailed, state };
}

const ends: (() => Promise<void>)[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: start });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  vi.useRealTimers();
});

/** Ten seconds of the clock, with all the work in them. */
async function passTenSeconds(): Promise<void> {
  await vi.advanceTimersByTimeAsync(10_000);
  for (let turn = 0; turn < 200; turn++) await nextTurn();
}

describe('the digests of a day', () => {
  test('the digests of a day are spread over two hours, a few at a time, in another order each day [DIGEST-7]', async () => {
    const { run, checkedIds, mailed } = createRounds(300);
    ends.push(run());
    const perTenMinutes: number[] = [];
    for (let part = 0; part < 12; part++) {
      const countBefore = mailed.length;
      for (let n = 0; n < 60; n++) await passTenSeconds();
      perTenMinutes.push(mailed.length - countBefore);
    }
    for (let n = 0; n < 12; n++) await passTenSeconds();
    expect(mailed).toHaveLength(300);
    expect(new Set(mailed).size).toBe(300);
    expect(checkedIds).toHaveLength(300);
    for (const count of perTenMinutes) expect(count).toBeLessThan(60);
    const today = [...mailed];
    vi.setSystemTime(start + 26 * 60 * minuteMs);
    for (let n = 0; n < 10; n++) await passTenSeconds();
    expect(mailed).toHaveLength(600);
    expect(mailed.slice(300)).not.toEqual(today);
    expect(mailed.slice(300).toSorted()).toEqual(today.toSorted());
  });

  test('the digests of a day are at most fifty in ten seconds after the server was down, and none after six hours [DIGEST-7]', async () => {
    const { run, mailed } = createRounds(400);
    vi.setSystemTime(start + 359 * minuteMs);
    ends.push(run());
    for (let turn = 0; turn < 200; turn++) await nextTurn();
    expect(mailed).toHaveLength(50);
    await passTenSeconds();
    expect(mailed).toHaveLength(100);
    vi.setSystemTime(start + 361 * minuteMs);
    await passTenSeconds();
    await passTenSeconds();
    expect(mailed).toHaveLength(100);
  });

  test('the digests of a day are none for the rest of the day if it is unknown how many have left [DIGEST-2]', async () => {
    const { run, mailed } = createRounds(20, { isKnown: false });
    vi.setSystemTime(start + 60 * minuteMs);
    ends.push(run());
    for (let n = 0; n < 5; n++) await passTenSeconds();
    vi.setSystemTime(start + 130 * minuteMs);
    for (let n = 0; n < 5; n++) await passTenSeconds();
    expect(mailed).toEqual([]);

    vi.setSystemTime(start + 26 * 60 * minuteMs);
    for (let n = 0; n < 5; n++) await passTenSeconds();
    expect(mailed).toHaveLength(20);
  });

  test('wait while many mails wait, and go on where they stopped after a restart [DIGEST-2, DIGEST-7]', async () => {
    const { run, mailed, state } = createRounds(120);
    vi.setSystemTime(start + 130 * minuteMs);
    state.waitingMails = 100;
    ends.push(run());
    await passTenSeconds();
    expect(mailed).toHaveLength(0);
    state.waitingMails = 99;
    await passTenSeconds();
    expect(mailed).toHaveLength(50);
    await ends.pop()?.();
    ends.push(run());
    for (let n = 0; n < 4; n++) await passTenSeconds();
    expect(mailed).toHaveLength(120);
    expect(new Set(mailed).size).toBe(120);
  });

  test('the digests of a day leave once if the answer to their commit is lost [DIGEST-2]', async () => {
    const { run, mailed, state } = createRounds(120);
    vi.setSystemTime(start + 130 * minuteMs);
    state.lostAnswers = 1;
    state.allowedWarnings.push('digest.failed');

    ends.push(run());
    for (let n = 0; n < 6; n++) await passTenSeconds();

    expect(mailed).toHaveLength(120);
    expect(new Set(mailed).size).toBe(120);
  });
});
