import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PushQueue } from './push-queue.ts';

interface Job {
  name: number;
}

function createCounted(maxWaiting: number, maxConcurrent: number, runsMs = 5) {
  const done: number[] = [];
  const dropped: number[] = [];
  const counts = { now: 0, most: 0 };
  const queue = new PushQueue<Job>({
    maxWaiting,
    maxConcurrent,
    async run({ name }) {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      await sleep(runsMs);
      counts.now -= 1;
      done.push(name);
    },
    onDropped: ({ name }) => dropped.push(name),
  });
  const add = (name: number, delayMs = 1, lane = 'one', group = 'class') =>
    queue.add({ name }, delayMs, { lane, group });
  return { queue, add, done, dropped, counts };
}

const listNumbers = (count: number) => Array.from({ length: count }, (_, n) => n);

test('a full queue drops the oldest notifications [PUSH-42]', async () => {
  const { add, done, dropped } = createCounted(5, 2);
  for (const n of listNumbers(8)) add(n, 20);
  await expect.poll(() => done.length).toBe(5);
  expect(dropped).toEqual([0, 1, 2]);
  expect(done.toSorted((a, b) => a - b)).toEqual([3, 4, 5, 6, 7]);
});

test('a class that fills the queue drops its own notifications and none of another class [PUSH-42]', async () => {
  const { add, done, dropped } = createCounted(5, 2);
  add(100, 20, 'one', 'other class');
  for (const n of listNumbers(8)) add(n, 20);

  await expect.poll(() => done.length).toBe(5);
  expect(dropped).toEqual([0, 1, 2, 3]);
  expect(done).toContain(100);
});

test('classes take turns, so that a message to many members delays no other class [PUSH-42]', async () => {
  const { add, done } = createCounted(100, 1);
  for (const n of listNumbers(20)) add(n);
  add(100, 1, 'one', 'other class');

  await expect.poll(() => done).toContain(100);
  expect(done.length).toBeLessThan(10);
  await expect.poll(() => done.length).toBe(21);
});

test('notifications are sent a few at a time [PUSH-42]', async () => {
  const { add, done, counts } = createCounted(100, 3);
  for (const n of listNumbers(20)) add(n);
  await expect.poll(() => done.length).toBe(20);
  expect(counts.most).toBe(3);
});

test('a stop waits for what is running and drops the rest [PUSH-42]', async () => {
  const { queue, add, done, counts } = createCounted(100, 1, 300);
  for (const n of listNumbers(3)) add(n, 0);
  add(9, 10_000);
  await expect.poll(() => counts.now).toBe(1);
  await queue.stop();
  const countBefore = done.length;
  expect(counts.now).toBe(0);
  expect(countBefore).toBeLessThan(3);
  add(10, 0);
  await sleep(50);
  expect(done).toHaveLength(countBefore);
});

test('a push service that is stuck holds up no other [PUSH-42]', async () => {
  const { queue, add, done } = createCounted(100, 2, 1000);
  for (const n of listNumbers(10)) add(n, 0, 'stuck');
  add(10, 10, 'other');
  await expect.poll(() => done, { timeout: 1900 }).toContain(10);
  expect(done.length).toBeLessThan(4);
  await queue.stop();
});
