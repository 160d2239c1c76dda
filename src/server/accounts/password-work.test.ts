import { expect, test } from 'vitest';
import { createPasswordWork } from './password-work.ts';

/** Work that ends when it is told to. */
function controlled() {
  const ends: (() => void)[] = [];
  const work = () =>
    new Promise<void>((resolve) => {
      ends.push(resolve);
    });
  return { work, ends, started: () => ends.length };
}

test('no more than so many hash at once, the others wait for their turn [AUTH-45]', async () => {
  const { run } = createPasswordWork(2);
  const { work, ends, started } = controlled();
  const all = Array.from({ length: 5 }, () => run(work));
  await Promise.resolve();
  for (let done = 0; done < 5; done++) {
    expect(started()).toBe(Math.min(2 + done, 5));
    ends[done]!();
    await all[done];
    await Promise.resolve();
  }
});

test('work that fails lets the next one begin [AUTH-45]', async () => {
  const { run } = createPasswordWork(1);
  const failing = run(() => Promise.reject(new Error('no')));
  const next = run(async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('where too many wait, it has not begun, and says when to come again [AUTH-45]', async () => {
  const { run } = createPasswordWork(1);
  const { work, ends, started } = controlled();
  const waiting = Array.from({ length: 51 }, () => run(work));
  await expect(run(work)).rejects.toMatchObject({
    code: 'TOO_MANY',
    message: 'You’re doing that too often. Please wait a moment.',
    retryAfterMs: expect.any(Number),
  });
  expect(started()).toBe(1);
  for (let done = 0; done < waiting.length; done++) {
    ends[done]!();
    await waiting[done];
    await Promise.resolve();
  }
  expect(await Promise.all(waiting)).toHaveLength(51);
});
