import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Account } from '#server/http/caller.ts';
import { createRecentSessions } from './recent-sessions.ts';

const cookies = 'session=secret';

function createAccountUntil(expiresAt: Date): Account {
  return { id: 'ada', email: 'ada@university.edu', sessionId: 'laptop', expiresAt };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a session counts for at most a second without a read, and not after it expires [AUTH-18]', async () => {
  const sessions = createRecentSessions();
  const read = vi.fn<() => Promise<Account | null>>();
  read.mockResolvedValueOnce(createAccountUntil(new Date(Date.now() + 3_600_000)));
  await sessions.authenticate(cookies, read);
  await vi.advanceTimersByTimeAsync(900);
  expect(await sessions.authenticate(cookies, read)).toMatchObject({ id: 'ada' });
  expect(read).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(200);
  read.mockResolvedValueOnce(createAccountUntil(new Date(Date.now() + 500)));
  expect(await sessions.authenticate(cookies, read)).toMatchObject({ id: 'ada' });
  await vi.advanceTimersByTimeAsync(600);
  read.mockResolvedValueOnce(null);
  expect(await sessions.authenticate(cookies, read)).toBeNull();
  expect(read).toHaveBeenCalledTimes(3);
});

test('a session that ends while it is read is not remembered [AUTH-18]', async () => {
  const sessions = createRecentSessions();
  const isRead = Promise.withResolvers<Account>();
  const pending = sessions.authenticate(cookies, () => isRead.promise);
  sessions.clear();
  isRead.resolve(createAccountUntil(new Date(Date.now() + 3_600_000)));
  await pending;
  expect(await sessions.authenticate(cookies, async () => null)).toBeNull();
});

test('requests with other cookies, or with none, get no account of others [AUTH-18]', async () => {
  const sessions = createRecentSessions();
  await sessions.authenticate(cookies, async () =>
    createAccountUntil(new Date(Date.now() + 3_600_000)),
  );
  expect(await sessions.authenticate('session=other', async () => null)).toBeNull();
  expect(await sessions.authenticate(null, async () => null)).toBeNull();
});
