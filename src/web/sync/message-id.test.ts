import { expect, test, vi } from 'vitest';
import { newMessageId } from './message-id.ts';

test('a message’s id is random in every bit but those that say so, and carries no clock [ANON-14]', () => {
  const before = newMessageId();
  expect(before).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);

  // The id depends only on the random bytes, not on the time.
  const random = vi.spyOn(crypto, 'getRandomValues').mockImplementation((bytes) => {
    (bytes as Uint8Array).fill(0xa5);
    return bytes;
  });
  vi.useFakeTimers({ now: 0 });
  const early = newMessageId();
  vi.setSystemTime(2e12);
  expect(newMessageId()).toBe(early);
  vi.useRealTimers();
  random.mockRestore();

  const ids = Array.from({ length: 200 }, newMessageId);
  expect(new Set(ids).size).toBe(200);
  expect(ids).not.toEqual(ids.toSorted());
});
