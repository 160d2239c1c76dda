import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { blockBytes, UploadLimiter, type UploadPermit } from './upload-limiter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** Starts uploads and records their admission. One letter stands for each upload. */
function createQueue(blocks: number, maxWaiting = 100) {
  const limiter = new UploadLimiter(blocks * blockBytes, maxWaiting);
  const admitted: string[] = [];
  const permits = new Map<string, UploadPermit>();
  async function start(name: string, account = name, signal = never) {
    permits.set(name, await limiter.acquire(account, signal));
    admitted.push(name);
  }
  const waitUntilSettled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    admitted,
    settled: waitUntilSettled,
    start,
    permit: (name: string) => permits.get(name)!,
    async leave(name: string) {
      permits.get(name)?.release();
      admitted.splice(admitted.indexOf(name), 1);
      await waitUntilSettled();
    },
  };
}

it('admits uploads in order of arrival while their bytes fit [PIC-9]', async () => {
  const { start, leave, permit, admitted, settled } = createQueue(3);
  void start('a');
  await settled();
  await permit('a').grow();
  for (const name of ['b', 'c', 'd']) void start(name);
  await settled();
  expect(admitted).toEqual(['a', 'b']);
  await leave('b');
  expect(admitted).toEqual(['a', 'c']);
  await leave('a');
  expect(admitted).toEqual(['c', 'd']);
});

it('admits one upload of an account at a time, and does not delay other accounts [PIC-9]', async () => {
  const { start, leave, admitted, settled } = createQueue(10);
  void start('first', 'ada');
  void start('second', 'ada');
  void start('other', 'bob');
  await settled();
  expect(admitted).toEqual(['first', 'other']);
  await leave('first');
  expect(admitted).toEqual(['other', 'second']);
});

it('drops an aborted upload from the queue, and rejects if too many wait [PIC-9]', async () => {
  const { start, leave, admitted, settled } = createQueue(1, 2);
  const controller = new AbortController();
  void start('a');
  const aborted = start('b', 'b', controller.signal).catch((error: unknown) => error);
  void start('c');
  await expect(start('d')).rejects.toMatchObject({ code: 'TOO_MANY' });
  controller.abort();
  expect(await aborted).toMatchObject({ code: 'INVALID' });
  await settled();
  await leave('a');
  expect(admitted).toEqual(['c']);
});

it('rejects an account that already has many uploads in the queue [PIC-9]', async () => {
  const { start } = createQueue(1);
  void start('a');
  for (let n = 0; n < 10; n++) void start(`b${n}`, 'bob');
  await expect(start('b10', 'bob')).rejects.toMatchObject({ code: 'TOO_MANY' });
  void start('c');
});

it('aborts only the slowest upload if there is no room for ten seconds [PIC-9]', async () => {
  const { start, leave, permit, settled } = createQueue(6);
  for (const name of ['slow', 'fast', 'arrived']) void start(name);
  await settled();
  await vi.advanceTimersByTimeAsync(1000);
  for (let n = 0; n < 2; n++) await permit('fast').grow();
  await permit('slow').grow();
  permit('arrived').markReceived();
  const grown = vi.fn<() => void>();
  void permit('fast').grow().then(grown);
  await vi.advanceTimersByTimeAsync(9999);
  expect(permit('slow').signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(permit('slow').signal.reason).toMatchObject({ code: 'TOO_MANY' });
  await expect(permit('slow').grow()).rejects.toMatchObject({ code: 'TOO_MANY' });
  expect([permit('fast').signal.aborted, permit('arrived').signal.aborted]).toEqual([false, false]);
  await leave('slow');
  expect(grown).toHaveBeenCalled();
});

it('does not abort a slow upload while there is room for all [PIC-9]', async () => {
  const { start, permit, settled } = createQueue(3);
  void start('slow');
  void start('waits for its own other', 'slow');
  await settled();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(permit('slow').signal.aborted).toBe(false);
});
