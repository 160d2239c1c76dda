import { expect, it } from 'vitest';
import { createUploadGate } from './upload-gate.ts';

const never = new AbortController().signal;

/** Enters and notes it, once that is allowed. */
function createQueue(mostBytes: number, mostWaiting = 100) {
  const gate = createUploadGate(mostBytes, mostWaiting);
  const inside: string[] = [];
  const leaves = new Map<string, () => void>();
  async function come(name: string, account: string, bytes: number, signal = never) {
    leaves.set(name, await gate.enter(account, bytes, signal));
    inside.push(name);
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    inside,
    settled,
    come,
    async leave(name: string) {
      leaves.get(name)?.();
      inside.splice(inside.indexOf(name), 1);
      await settled();
    },
  };
}

it('lets so many bytes in and no more, in the order of their coming [PIC-9]', async () => {
  const { come, leave, inside, settled } = createQueue(100);
  for (const [name, bytes] of [
    ['a', 60],
    ['b', 40],
    ['c', 60],
    ['d', 10],
  ] as const) {
    void come(name, name, bytes);
  }
  await settled();
  expect(inside).toEqual(['a', 'b']);
  await leave('b');
  expect(inside).toEqual(['a']);
  await leave('a');
  expect(inside).toEqual(['c', 'd']);
});

it('reads one upload of an account at a time, and holds up nobody else [PIC-9]', async () => {
  const { come, leave, inside, settled } = createQueue(100);
  void come('first', 'ada', 10);
  void come('second', 'ada', 10);
  void come('other', 'bob', 10);
  await settled();
  expect(inside).toEqual(['first', 'other']);
  await leave('first');
  expect(inside).toEqual(['other', 'second']);
});

it('forgets who gave up waiting, and refuses when too many wait [PIC-9]', async () => {
  const { come, leave, inside, settled } = createQueue(100, 2);
  const given = new AbortController();
  void come('a', 'a', 100);
  const gaveUp = come('b', 'b', 100, given.signal).catch((error: unknown) => error);
  void come('c', 'c', 100);
  await expect(come('d', 'd', 1)).rejects.toMatchObject({ code: 'TOO_MANY' });
  given.abort();
  expect(await gaveUp).toMatchObject({ code: 'INVALID' });
  await settled();
  await leave('a');
  expect(inside).toEqual(['c']);
});
