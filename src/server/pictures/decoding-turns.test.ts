import { expect, test } from 'vitest';
import { createDecodingTurns } from './decoding-turns.ts';

test('files of accounts that have used up their time have one of five turns while others wait [PIC-89]', async () => {
  const turns = createDecodingTurns({
    decodingTime: { isUsedUp: (accountId) => accountId === 'mallory', add() {} },
    maxWaiting: 100,
    timeoutMs: 60_000,
    busyCode: 'TOO_MANY',
  });
  const order: string[] = [];
  const decode = (accountId: string) =>
    turns.run(accountId, async () => {
      order.push(accountId);
    });
  const firstDecoding = decode('first');

  const ofMallory = Array.from({ length: 10 }, () => decode('mallory'));
  const ofOthers = Array.from({ length: 8 }, (_, index) => decode(`student ${index}`));
  await Promise.all([firstDecoding, ...ofMallory, ...ofOthers]);

  const untilLastStudent = order.slice(0, order.lastIndexOf('student 7'));
  expect(untilLastStudent.filter((accountId) => accountId === 'mallory')).toHaveLength(2);
});

test('the time of a file counts for its account, also when it is rejected [PIC-89]', async () => {
  const countedIds: string[] = [];
  const turns = createDecodingTurns({
    decodingTime: { isUsedUp: () => false, add: (accountId) => countedIds.push(accountId) },
    maxWaiting: 100,
    timeoutMs: 60_000,
    busyCode: 'TOO_MANY',
  });

  await expect(turns.run('mallory', () => Promise.reject(new Error('broken')))).rejects.toThrow(
    'broken',
  );

  expect(countedIds).toEqual(['mallory']);
});
