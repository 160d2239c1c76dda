import { expect, test } from 'vitest';
import type { AppError } from '#contract/errors.ts';
import type { Network } from '#server/base/client-addresses.ts';
import { createLimiter } from '#server/base/limiter.ts';
import { loadConfig } from '#server/config/config.ts';
import { createSignInAttempts, type Attempt } from './sign-in-attempts.ts';

const createNetworks = (...keys: string[]): Network[] =>
  keys.map((key, n) => ({ key, limitMultiplier: 2 ** n }));

function createAttempts(LIMITS = '') {
  const clock = { now: 0 };
  const getNow = () => clock.now;
  const { rates } = loadConfig({ LIMITS });
  const attempts = createSignInAttempts(rates, createLimiter(rates, getNow), getNow);
  const begin = (account = 'ada', other: Partial<Attempt> = {}) =>
    attempts.begin({ account, networks: createNetworks('net'), knownId: null, ...other });
  /** Returns the time to wait, or 0 if the attempt was made and failed. */
  const fail = (account = 'ada', other: Partial<Attempt> = {}): number => {
    try {
      begin(account, other);
      return 0;
    } catch (error) {
      return (error as AppError).retryAfterMs ?? NaN;
    }
  };
  return { clock, begin, fail };
}

test('allows ten wrong passwords, then doubles the wait after each one, up to a minute [LIMIT-3]', () => {
  const { clock, fail } = createAttempts();
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

test('attempts during the wait do not extend it, and no other account or network waits [LIMIT-3]', () => {
  const { clock, fail } = createAttempts();
  for (let n = 0; n < 10; n++) fail();
  for (let n = 0; n < 100; n++) expect(fail()).toBe(1000);
  expect(fail('ben')).toBe(0);
  expect(fail('ada', { networks: createNetworks('elsewhere') })).toBe(0);
  clock.now = 1000;
  expect(fail()).toBe(0);
});

test('forgets failures after ten quiet minutes or the right password [LIMIT-3]', () => {
  const { clock, begin, fail } = createAttempts();
  for (let n = 0; n < 10; n++) fail();
  clock.now = 599_999;
  expect(fail()).toBe(0);
  expect(fail()).toBe(2000);
  clock.now = 1_199_999;
  for (let n = 0; n < 10; n++) expect(fail()).toBe(0);
  expect(fail()).toBe(1000);

  for (let n = 0; n < 100; n++) begin('ben').succeed();
  for (let n = 0; n < 9; n++) expect(fail('ben')).toBe(0);
  begin('ben').succeed();
  for (let n = 0; n < 10; n++) expect(fail('ben')).toBe(0);
  expect(fail('ben')).toBe(1000);
});

test('counts a known browser separately, and lets it wait like a network [AUTH-56]', () => {
  const { fail } = createAttempts('signIns=20/10m');
  for (let n = 0; n < 10; n++) expect(fail()).toBe(0);
  for (let n = 0; n < 10; n++) expect(fail(`another ${n}`)).toBe(0);
  // The failures of the account in this network, and of the whole network, do not stop a known browser.
  expect(fail('a last one')).toBeGreaterThan(0);
  for (let n = 0; n < 10; n++) expect(fail('ada', { knownId: 'phone' })).toBe(0);
  expect(fail('ada', { knownId: 'phone' })).toBe(1000);
  expect(fail('ada', { knownId: 'laptop' })).toBe(0);
});

test('limits the failures of a network across all accounts, but not its successes [LIMIT-2]', () => {
  const { begin, fail } = createAttempts('signIns=3/3s');
  for (let n = 0; n < 10; n++) begin(`right ${n}`).succeed();
  expect(['a', 'b', 'c'].map((account) => fail(account))).toEqual([0, 0, 0]);
  expect(fail('d')).toBe(1000);
  expect(fail('d', { networks: createNetworks('elsewhere') })).toBe(0);
});

test('counts wider networks too, with higher limits [LIMIT-2, LIMIT-3, LIMIT-29]', () => {
  const { fail } = createAttempts('signIns=3/3s, failedSignIns=2/1h');
  // Each attempt comes from another /64 of one /56, which allows twice as many as one /64.
  const waits = Array.from({ length: 5 }, (_, n) =>
    fail('ada', { networks: createNetworks(`${n}`, 'wide') }),
  );
  expect(waits).toEqual([0, 0, 0, 0, 1000]);
  const otherWaits = Array.from({ length: 3 }, (_, n) =>
    fail(`other ${n}`, { networks: createNetworks(`${n} again`, 'wide') }),
  );
  expect(otherWaits).toEqual([0, 0, expect.any(Number)]);
  expect(otherWaits[2]).toBeGreaterThan(0);
});

test('allows each network one attempt on an account that many networks attack [LIMIT-33]', () => {
  const { begin, fail } = createAttempts('failedSignInsOfAccount=20/10m');
  for (let n = 0; n < 10; n++) begin().succeed();
  for (let net = 0; net < 2; net++) {
    for (let n = 0; n < 10; n++) {
      expect(fail('ada', { networks: createNetworks(`bot ${net}`) })).toBe(0);
    }
  }
  for (let net = 2; net < 100; net++) {
    expect(fail('ada', { networks: createNetworks(`bot ${net}`) })).toBe(0);
    expect(fail('ada', { networks: createNetworks(`bot ${net}`) })).toBe(1000);
  }
  expect(fail('ben', { networks: createNetworks('bot 99') })).toBe(0);
  expect(fail('ben', { networks: createNetworks('bot 99') })).toBe(0);
});

test('marks a network with many failures as suspect, and no other network [LIMIT-34]', () => {
  const { begin } = createAttempts('suspectSignIns=3/10m');
  // Many concurrent attempts, none of which has failed yet.
  const right = Array.from({ length: 9 }, (_, n) => begin(`right ${n}`));
  expect(right.some((attempt) => attempt.isSuspect)).toBe(false);
  for (const attempt of right) attempt.succeed();
  const failAgain = (other?: Partial<Attempt>) => {
    const attempt = begin('anyone', other);
    attempt.fail();
    return attempt.isSuspect;
  };
  expect([failAgain(), failAgain(), failAgain(), failAgain()]).toEqual([false, false, false, true]);
  expect(failAgain({ networks: createNetworks('elsewhere') })).toBe(false);
  expect(failAgain({ knownId: 'laptop' })).toBe(false);
});

test('does not limit failures if the operator turned the limit off [CONF-15]', () => {
  const { fail } = createAttempts('failedSignIns=off');
  for (let n = 0; n < 100; n++) expect(fail()).toBe(0);
});
