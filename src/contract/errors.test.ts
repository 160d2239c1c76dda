import { expect, test } from 'vitest';
import { errors } from './errors.ts';

test('only what may pass by itself is said to be worth trying again [ERROR-3]', () => {
  const again = Object.entries(errors).filter(([, { retry }]) => retry);
  expect(again.map(([code]) => code)).toEqual(['TOO_MANY', 'UNAVAILABLE', 'INTERNAL']);
  // A client error stays an error: repeating the same request cannot succeed.
  for (const [code, { status, retry }] of Object.entries(errors)) {
    expect(retry, code).toBe(status === 429 || status >= 500);
  }
});

test('each is a sentence that people can read [ERROR-1, ERROR-2]', () => {
  for (const { message } of Object.values(errors)) expect(message).toMatch(/^[A-Z][^\n<>]{10,}$/);
});
