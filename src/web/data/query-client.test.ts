import { afterEach, expect, test, vi } from 'vitest';
import type { ErrorCode } from '#contract/errors.ts';
import { createRejectedError, RejectedError } from '#web/rejected-error.ts';
import { createQueryClient } from './query-client.ts';

afterEach(() => vi.useRealTimers());

/** The number of calls if every call fails with this error. */
async function countAttempts(answer: Error): Promise<number> {
  vi.useFakeTimers();
  const call = vi.fn<() => Promise<never>>(() => Promise.reject(answer));
  const reading = createQueryClient().fetchQuery({ queryKey: ['call'], queryFn: call });
  const outcome = reading.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  expect(await outcome).toBe(answer);
  return call.mock.calls.length;
}

test.each([
  ['NOT_FOUND', 1],
  ['INVALID', 1],
  ['WRONG_CREDENTIALS', 1],
  ['UNAVAILABLE', 2],
  ['TOO_MANY', 2],
] as const)(
  'a reading that is rejected with %s is made %i times [ERROR-3]',
  async (code: ErrorCode, times) => {
    expect(await countAttempts(new RejectedError(code, 'No.'))).toBe(times);
  },
);

test('a write is made once, whatever it answers [ERROR-3]', async () => {
  const client = createQueryClient();
  const call = vi.fn<() => Promise<never>>(() =>
    Promise.reject(createRejectedError('UNAVAILABLE')),
  );
  const mutation = client.getMutationCache().build(client, { mutationFn: call });
  await expect(mutation.execute(undefined)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(call).toHaveBeenCalledTimes(1);
});

test('a reading waits as it was told before it is made again; for long it does not wait [LOG-17, ERROR-3]', async () => {
  expect(await countAttempts(createRejectedError('TOO_MANY', 1000))).toBe(2);
  expect(await countAttempts(createRejectedError('TOO_MANY', 2000))).toBe(1);
});
