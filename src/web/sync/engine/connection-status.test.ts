import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConnectionStatus } from './connection-status.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Session = 'signed-in' | 'signed-out' | 'unreachable';

function start(session: Session) {
  const signedOut = vi.fn<() => void>();
  const status = createConnectionStatus({
    checkSession: () => Promise.resolve(session),
    onSignedOut: signedOut,
  });
  return { status, signedOut };
}

test('an interruption of less than two seconds is not shown', () => {
  const { status } = start('signed-in');
  status.onWelcome();
  status.onDown(false);
  vi.advanceTimersByTime(1999);
  status.onWelcome();
  vi.advanceTimersByTime(10_000);
  expect(status.getSnapshot()).toBe('online');
});

test('sockets are blocked after two failed attempts while the server answers over HTTP [WIRE-27]', async () => {
  const { status } = start('signed-in');
  status.onDown(true);
  await vi.advanceTimersByTimeAsync(3000);
  expect(status.getSnapshot()).toBe('offline');

  status.onDown(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(status.getSnapshot()).toBe('blocked');

  status.onWelcome();
  expect(status.getSnapshot()).toBe('online');
});

test('a server that does not answer over HTTP either is shown as offline', async () => {
  const { status } = start('unreachable');
  status.onDown(true);
  status.onDown(true);
  await vi.advanceTimersByTimeAsync(3000);
  expect(status.getSnapshot()).toBe('offline');
});

test('a session that has ended is reported once the socket fails, unless the status has stopped', async () => {
  const endedSession = start('signed-out');
  endedSession.status.onDown(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(endedSession.signedOut).toHaveBeenCalledOnce();

  const stopped = start('signed-out');
  stopped.status.onDown(true);
  stopped.status.stop();
  await vi.advanceTimersByTimeAsync(3000);
  expect(stopped.signedOut).not.toHaveBeenCalled();
  expect(stopped.status.getSnapshot()).toBe('connecting');
});
