// The lease under which one of several nodes does the background work.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createBackgroundLease } from '#server/store/background-lease.ts';
import { takeLease } from '#server/store/leases-queries.ts';
import { openStorage, type OpenedStorage } from './opened-storage.ts';

const log = createLog({ write: () => {} });
const times = { ttlMs: 60_000, renewMs: 20 };
async function holdLease(...args: Parameters<typeof createBackgroundLease>) {
  const lease = createBackgroundLease(...args);
  await lease.start();
  return lease;
}

let one: OpenedStorage;
let other: OpenedStorage;
beforeAll(async () => {
  one = await openStorage();
  other = await openStorage(one.database);
});
beforeEach(() => one.database.query('delete from leases'));
afterAll(async () => {
  await other.close();
  await one.close();
});

test('of many nodes that ask simultaneously, one gets the lease [NODE-2]', async () => {
  const nodes = Array.from({ length: 20 }, (_, i) => `node ${i}`);
  const taken = await Promise.all(
    nodes.map((node, i) => takeLease((i % 2 ? one : other).db, 'work', node, 60_000)),
  );
  expect(taken.filter(Boolean)).toHaveLength(1);
  const again = await Promise.all(nodes.map((node) => takeLease(one.db, 'work', node, 60_000)));
  expect(again).toEqual(taken);
});

test('a node that stops gives the lease to another one [NODE-2]', async () => {
  const first = await holdLease(one.db, 'first', log, times);
  const second = await holdLease(other.db, 'second', log, times);
  expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);
  await first.stop();
  expect(first.isHeld()).toBe(false);
  await expect.poll(() => second.isHeld()).toBe(true);
  await second.stop();
});

test('the database decides when the lease of a silent node has expired [NODE-2]', async () => {
  // It renews once an hour, as if it were stopped.
  const silent = await holdLease(one.db, 'silent', log, { ...times, renewMs: 3_600_000 });
  const second = await holdLease(other.db, 'second', log, times);
  await one.commits.write(({ db }) => silent.confirm(db), 'everything');
  await expect(
    other.commits.write(({ db }) => second.confirm(db), 'everything'),
  ).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await one.database.query(
    `update leases set "expiresAt" = extract(epoch from clock_timestamp()) * 1000 - 1`,
  );
  await expect.poll(() => second.isHeld()).toBe(true);
  // The silent node still believes that it holds the lease, and its work is rejected.
  expect(silent.isHeld()).toBe(true);
  await expect(
    one.commits.write(({ db }) => silent.confirm(db), 'everything'),
  ).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });
  await other.commits.write(({ db }) => second.confirm(db), 'everything');
  await Promise.all([silent.stop(), second.stop()]);
});

test('no other node takes the lease during work that confirmed it [NODE-2]', async () => {
  const first = await holdLease(one.db, 'first', log, { ttlMs: 300, renewMs: 3_600_000 });
  const taking: Promise<boolean>[] = [];
  let isTaken = false;
  await one.commits.write(async ({ db }) => {
    await first.confirm(db);
    const expired = `select from leases where "expiresAt" < extract(epoch from clock_timestamp()) * 1000`;
    await expect.poll(() => one.database.query(expired)).toHaveLength(1);
    const take = takeLease(other.db, 'background', 'second', 60_000);
    taking.push(take.then((taken) => (isTaken = taken)));
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%leases%'
      and datname = current_database()`;
    await expect.poll(() => one.database.query(waiting)).toHaveLength(1);
    expect(isTaken).toBe(false);
  }, 'everything');
  expect(await Promise.all(taking)).toEqual([true]);
  await first.stop();
});

test('A node takes the lease after the clock of the database went back [NODE-2]', async () => {
  const clockBefore = `(extract(epoch from clock_timestamp()) * 1000)::bigint + 3600000`;
  await one.database.query(
    `insert into leases (name, holder, "expiresAt") values ('background', 'killed', ${clockBefore})`,
  );

  const node = await holdLease(one.db, 'node', log, times);

  expect(node.isHeld()).toBe(true);
  await node.stop();
});

test('A node whose machine was suspended no longer holds the lease [NODE-2]', async () => {
  const node = await holdLease(one.db, 'node', log, { ...times, renewMs: 3_600_000 });
  expect(node.isHeld()).toBe(true);

  // The monotonic clock stands still meanwhile.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + times.ttlMs });

  expect(node.isHeld()).toBe(false);
  vi.useRealTimers();
  await node.stop();
});

test('A node that is created, and not started, takes no lease [NODE-2]', async () => {
  const failing = createBackgroundLease(one.db, 'failing', log, times);
  const healthy = await holdLease(other.db, 'healthy', log, times);

  expect([failing.isHeld(), healthy.isHeld()]).toEqual([false, true]);
  await Promise.all([failing.stop(), healthy.stop()]);
});
