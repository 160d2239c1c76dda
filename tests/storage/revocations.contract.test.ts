import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  appendRevocation,
  lastRevocation,
  listRevocations,
} from '#server/store/revocations-queries.ts';
import { openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

const revoke = (ref: string, then?: () => void) =>
  storage.commits.write(async ({ db }) => {
    await appendRevocation(db, 'class-deleted', ref);
    then?.();
  }, 'everything');

test('revocations are numbered without gaps, and a failed change adds none [ADMIN-4]', async () => {
  expect(await lastRevocation(storage.db)).toBe(0);
  await revoke('a');
  const fails = revoke('b', () => {
    throw new Error('changed its mind');
  });
  await expect(fails).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await revoke('c');
  expect(await listRevocations(storage.db, 0)).toEqual([
    { seq: 1, kind: 'class-deleted', ref: 'a' },
    { seq: 2, kind: 'class-deleted', ref: 'c' },
  ]);
  expect(await listRevocations(storage.db, 1)).toHaveLength(1);
  expect(await lastRevocation(storage.db)).toBe(2);
});

test('old revocations are dropped, and the last one is kept [ADMIN-4]', async () => {
  for (let i = 0; i < 1100; i += 1) await revoke(`class ${i}`);
  const kept = await listRevocations(storage.db, 0);
  expect(kept).toHaveLength(1000);
  expect(kept.at(-1)?.ref).toBe('class 1099');
});
