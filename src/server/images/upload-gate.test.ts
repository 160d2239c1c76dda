import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { blockBytes, createUploadGate, type UploadPlace } from './upload-gate.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

/** Enters the gate and records the admission. One letter stands for each upload. */
function createQueue(blocks: number, maxWaiting = 100) {
  const gate = createUploadGate(blocks * blockBytes, maxWaiting);
  const inside: string[] = [];
  const places = new Map<string, UploadPlace>();
  async function come(name: string, account = name, signal = never) {
    places.set(name, await gate.enter(account, signal));
    inside.push(name);
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    inside,
    settled,
    come,
    place: (name: string) => places.get(name)!,
    async leave(name: string) {
      places.get(name)?.leave();
      inside.splice(inside.indexOf(name), 1);
      await settled();
    },
  };
}

it('lets so many bytes in and no more, in the order of their coming [PIC-9]', async () => {
  const { come, leave, place, inside, settled } = createQueue(3);
  void come('a');
  await settled();
  await place('a').grow();
  for (const name of ['b', 'c', 'd']) void come(name);
  await settled();
  expect(inside).toEqual(['a', 'b']);
  await leave('b');
  expect(inside).toEqual(['a', 'c']);
  await leave('a');
  expect(inside).toEqual(['c', 'd']);
});

it('reads one upload of an account at a time, and holds up nobody else [PIC-9]', async () => {
  const { come, leave, inside, settled } = createQueue(10);
  void come('first', 'ada');
  void come('second', 'ada');
  void come('other', 'bob');
  await settled();
  expect(inside).toEqual(['first', 'other']);
  await leave('first');
  expect(inside).toEqual(['other', 'second']);
});

it('forgets who gave up waiting, and refuses when too many wait [PIC-9]', async () => {
  const { come, leave, inside, settled } = createQueue(1, 2);
  const given = new AbortController();
  void come('a');
  const gaveUp = come('b', 'b', given.signal).catch((error: unknown) => error);
  void come('c');
  await expect(come('d')).rejects.toMatchObject({ code: 'TOO_MANY' });
  given.abort();
  expect(await gaveUp).toMatchObject({ code: 'INVALID' });
  await settled();
  await leave('a');
  expect(inside).toEqual(['c']);
});

it('keeps places in the line from an account that has many there already [PIC-53]', async () => {
  const { come } = createQueue(1);
  void come('a');
  for (let n = 0; n < 10; n++) void come(`b${n}`, 'bob');
  await expect(come('b10', 'bob')).rejects.toMatchObject({ code: 'TOO_MANY' });
  void come('c');
});

it('ends the slowest upload when there was no room for ten seconds, and no other [PIC-53]', async () => {
  const { come, leave, place, settled } = createQueue(6);
  for (const name of ['slow', 'fast', 'arrived']) void come(name);
  await settled();
  await vi.advanceTimersByTimeAsync(1000);
  for (let n = 0; n < 2; n++) await place('fast').grow();
  await place('slow').grow();
  place('arrived').arrived();
  const grown = vi.fn<() => void>();
  void place('fast').grow().then(grown);
  await vi.advanceTimersByTimeAsync(9999);
  expect(place('slow').signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(place('slow').signal.reason).toMatchObject({ code: 'TOO_MANY' });
  await expect(place('slow').grow()).rejects.toMatchObject({ code: 'TOO_MANY' });
  expect([place('fast').signal.aborted, place('arrived').signal.aborted]).toEqual([false, false]);
  await leave('slow');
  expect(grown).toHaveBeenCalled();
});

it('ends nobody who is slow while there is room for all [PIC-53]', async () => {
  const { come, place, settled } = createQueue(3);
  void come('slow');
  void come('waits for its own other', 'slow');
  await settled();
  await vi.advanceTimersByTimeAsync(100_000);
  expect(place('slow').signal.aborted).toBe(false);
});
