import { expect, test } from 'vitest';
import type { Refusal } from '#contract/errors.ts';
import { createLimiter } from './limiter.ts';
import { readRates } from './read-rates.ts';
import { createSignInAttempts } from './sign-in-attempts.ts';

function watched(settings: Record<string, string> = {}) {
  const clock = { now: 0 };
  const now = () => clock.now;
  const rates = readRates(settings);
  const attempts = createSignInAttempts(rates, createLimiter(rates, now), now);
  /** How long one has to wait to try; 0 where it was tried, and failed. */
  const fail = (key = 'ada'): number => {
    try {
      attempts.begin(key);
      return 0;
    } catch (error) {
      return (error as Refusal).retryAfterMs ?? NaN;
    }
  };
  return { clock, attempts, fail };
}

test('ten passwords may be wrong; then each makes the next one wait twice as long, a minute at most [LIMIT-3]', () => {
  const { clock, fail } = watched();
  for (let n = 0; n < 10; n++) expect(fail()).toBe(0);
  const waits: number[] = [];
  for (let n = 0; n < 9; n++) {
    const wait = fail();
    waits.push(wait / 1000);
    clock.now += wait - 1;
    expect(fail()).toBe(1);
    clock.now += 1;
    expect(fail()).toBe(0);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('who is told to wait makes the waiting no longer by trying, and nobody else waits [LIMIT-3]', () => {
  const { clock, fail } = watched();
  for (let n = 0; n < 10; n++) fail();
  for (let n = 0; n < 100; n++) expect(fail()).toBe(1000);
  expect(fail('ben')).toBe(0);
  clock.now = 1000;
  expect(fail()).toBe(0);
});

test('ten quiet minutes, or the right password, and nothing has failed [LIMIT-3]', () => {
  const { clock, attempts, fail } = watched();
  for (let n = 0; n < 10; n++) fail();
  clock.now = 599_999;
  expect(fail()).toBe(0);
  expect(fail()).toBe(2000);
  clock.now = 1_199_999;
  for (let n = 0; n < 10; n++) expect(fail()).toBe(0);
  expect(fail()).toBe(1000);

  for (let n = 0; n < 100; n++) attempts.begin('ben')();
  for (let n = 0; n < 9; n++) expect(fail('ben')).toBe(0);
  attempts.begin('ben')();
  for (let n = 0; n < 10; n++) expect(fail('ben')).toBe(0);
  expect(fail('ben')).toBe(1000);
});

test('those of all accounts count together, where they fail [LIMIT-21]', () => {
  const { attempts, fail } = watched({ LIMIT_FAILED_SIGN_INS_IN_ALL: '3/3s' });
  for (let n = 0; n < 10; n++) attempts.begin(`right ${n}`)();
  expect(['a', 'b', 'c'].map(fail)).toEqual([0, 0, 0]);
  expect(fail('d')).toBe(1000);
});

test('an operator may lift it [CONF-15]', () => {
  const { fail } = watched({ LIMIT_FAILED_SIGN_INS: 'off' });
  for (let n = 0; n < 100; n++) expect(fail()).toBe(0);
});
