import { createSecretKey, randomBytes } from 'node:crypto';
import { afterEach, expect, test, vi } from 'vitest';
import { createVapidKeys } from './vapid.ts';

afterEach(() => vi.useRealTimers());

const hourMs = 60 * 60_000;

/** Hours until the token expires, on the clock that is right now. */
function computeHoursLeft(header: string): number {
  const [, claims = ''] = /^vapid t=[\w-]+\.([\w-]+)\./.exec(header) ?? [];
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp: number };
  return (exp * 1000 - Date.now()) / hourMs;
}

test('a token is never valid for more than a day, not even after the clock was set back [PUSH-2]', () => {
  vi.useFakeTimers({ now: Date.parse('2030-01-01T00:00:00Z') });
  const { authorize } = createVapidKeys(createSecretKey(randomBytes(32)), 'mailto:a@b.example');
  const origin = 'https://push.example.net';
  const first = authorize(origin);
  expect(computeHoursLeft(first)).toBeGreaterThan(11);
  vi.setSystemTime(Date.now() + hourMs / 2);
  expect(authorize(origin)).toBe(first);
  vi.setSystemTime(Date.now() + 2 * hourMs);
  expect(computeHoursLeft(authorize(origin))).toBeGreaterThan(11);
  vi.setSystemTime(Date.parse('2026-11-22T00:00:00Z'));
  expect(computeHoursLeft(authorize(origin))).toBeGreaterThan(11);
  expect(computeHoursLeft(authorize(origin))).toBeLessThan(24);
});
