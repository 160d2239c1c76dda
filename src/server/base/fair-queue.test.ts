import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

test('one job of a member is in progress at a time, and members with few jobs pass those with many [FIND-17, AUTH-45]', async () => {
  const queue = new FairQueue({
    shares: { all: 1 },
    maxRunning: 2,
    maxWaiting: 1000,
    maxWaitingOfMember: 40,
    timeoutMs: 30_000,
    now: () => performance.now(),
  });
  const runningCounts = new Map<string, number>();
  const finishedAccounts: string[] = [];
  const run = (account: string) =>
    queue.run({ lane: 'all', group: account, member: account }, async () => {
      runningCounts.set(account, (runningCounts.get(account) ?? 0) + 1);
      expect(runningCounts.get(account)).toBe(1);
      await new Promise<void>((resolve) => setImmediate(resolve));
      runningCounts.set(account, 0);
      finishedAccounts.push(account);
    });

  const flood = Array.from({ length: 30 }, () => run('mallory'));
  await run('ada');

  expect(finishedAccounts.filter((account) => account === 'mallory').length).toBeLessThan(3);
  await Promise.all(flood);
  expect(finishedAccounts).toHaveLength(31);
});
