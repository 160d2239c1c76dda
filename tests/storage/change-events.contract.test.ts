import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  appendChangeEvent,
  getLastChangeEvent,
  listChangeEvents,
} from '#server/store/change-events-queries.ts';
import { openStorage, type OpenedStorage } from './opened-storage.ts';

let storage: OpenedStorage;
beforeEach(async () => {
  storage = await openStorage();
});
afterEach(() => storage.close());

const store = (ref: string, finish?: () => void) =>
  storage.commits.write(async (unitOfWork) => {
    await appendChangeEvent(unitOfWork, 'class-deleted', ref);
    finish?.();
  }, 'everything');

test('change events are numbered without gaps, and a failed change adds none [ADMIN-4]', async () => {
  expect(await getLastChangeEvent(storage.db)).toBe(0);

  await store('a');
  const fails = store('b', () => {
    throw new Error('changed its mind');
  });
  await expect(fails).rejects.toMatchObject({ code: 'INTERNAL' });

  await store('c');
  expect(await listChangeEvents(storage.db, 0)).toEqual([
    { seq: 1, kind: 'class-deleted', ref: 'a' },
    { seq: 2, kind: 'class-deleted', ref: 'c' },
  ]);
  expect(await listChangeEvents(storage.db, 1)).toHaveLength(1);
  expect(await getLastChangeEvent(storage.db)).toBe(2);
});

test('old change events are dropped, and the last one is kept [ADMIN-4]', async () => {
  for (let i = 0; i < 1100; i += 1) await store(`class ${i}`);

  const events = await listChangeEvents(storage.db, 0);

  expect(events).toHaveLength(1000);
  expect(events.at(-1)?.ref).toBe('class 1099');
});
