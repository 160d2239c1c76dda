import { expect, test } from 'vitest';
import { mergeRuns } from './merge-runs.ts';

function createTask() {
  const runs: { resolve(): void; reject(error: Error): void }[] = [];
  const run = mergeRuns(() => new Promise((resolve, reject) => runs.push({ resolve, reject })));
  return { runs, run };
}

test('calls during a run share one run after it', async () => {
  const { runs, run } = createTask();
  const first = run();
  await expect.poll(() => runs.length).toBe(1);

  const laterCalls = [run(), run(), run()];
  runs[0]!.resolve();
  await first;
  await expect.poll(() => runs.length).toBe(2);
  runs[1]!.resolve();
  await Promise.all(laterCalls);

  expect(runs).toHaveLength(2);
});

test('a failed run rejects its calls, and the next run follows', async () => {
  const { runs, run } = createTask();
  const first = run();
  await expect.poll(() => runs.length).toBe(1);
  const second = run();

  runs[0]!.reject(new Error('The database is gone.'));

  await expect(first).rejects.toThrow('The database is gone.');
  await expect.poll(() => runs.length).toBe(2);
  runs[1]!.resolve();
  await second;
});
