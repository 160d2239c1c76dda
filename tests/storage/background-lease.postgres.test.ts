// The lease that gives one of several nodes the right to do the background work.
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createLog } from '#server/base/log.ts';
import { createBackgroundLease } from '#server/store/background-lease.ts';
import { takeLease } from '#server/store/leases-queries.ts';
import { openStorage, type OpenedStorage } from './opened-storage.ts';

const log = createLog({ write: () => {} });
const times = { ttlMs: 60_000, renewMs: 20 };
async function startLease(...args: Parameters<typeof createBackgroundLease>) {
  const lease = createBackgroundLease(...args);
  await lease.start();
  return lease;
}

let firstServer: OpenedStorage;
let secondServer: OpenedStorage;
beforeAll(async () => {
  firstServer = await openStorage();
  secondServer = await openStorage(firstServer.database);
});
beforeEach(() => firstServer.database.query('delete from leases'));
afterAll(async () => {
  await secondServer.close();
  await firstServer.close();
});

test('one of many nodes that ask simultaneously gets the lease [NODE-2]', async () => {
  const nodes = Array.from({ length: 20 }, (_, i) => `node ${i}`);
  const results = await Promise.all(
    nodes.map((node, i) =>
      takeLease((i % 2 ? firstServer : secondServer).db, 'work', node, 60_000),
    ),
  );
  expect(results.filter(Boolean)).toHaveLength(1);

  const repeatedResults = await Promise.all(
    nodes.map((node) => takeLease(firstServer.db, 'work', node, 60_000)),
  );
  expect(repeatedResults).toEqual(results);
});

test('a node that stops gives the lease to another one [NODE-2]', async () => {
  const first = await startLease(firstServer.db, 'first', log, times);
  const second = await startLease(secondServer.db, 'second', log, times);
  expect([first.isHeld(), second.isHeld()]).toEqual([true, false]);

  await first.stop();
  expect(first.isHeld()).toBe(false);
  await expect.poll(() => second.isHeld()).toBe(true);

  await second.stop();
});

test('the database decides when the lease of a silent node has expired [NODE-2]', async () => {
  // This node renews the lease only once an hour, as if it had stopped.
  const silent = await startLease(firstServer.db, 'silent', log, { ...times, renewMs: 3_600_000 });
  const second = await startLease(secondServer.db, 'second', log, times);

  await firstServer.commits.write(({ db }) => silent.confirm(db), 'everything');
  await expect(
    secondServer.commits.write(({ db }) => second.confirm(db), 'everything'),
  ).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });

  await firstServer.database.query(
    `update leases set "expiresAt" = extract(epoch from clock_timestamp()) * 1000 - 1`,
  );
  await expect.poll(() => second.isHeld()).toBe(true);
  // The silent node still believes that it holds the lease, and its work is rejected.
  expect(silent.isHeld()).toBe(true);
  await expect(
    firstServer.commits.write(({ db }) => silent.confirm(db), 'everything'),
  ).rejects.toMatchObject({
    code: 'UNAVAILABLE',
  });

  await secondServer.commits.write(({ db }) => second.confirm(db), 'everything');
  await Promise.all([silent.stop(), second.stop()]);
});

test('no other node takes the lease during work that confirmed it [NODE-2]', async () => {
  const first = await startLease(firstServer.db, 'first', log, { ttlMs: 300, renewMs: 3_600_000 });
  const takes: Promise<boolean>[] = [];
  let isTaken = false;

  await firstServer.commits.write(async ({ db }) => {
    await first.confirm(db);
    const expired = `select from leases where "expiresAt" < extract(epoch from clock_timestamp()) * 1000`;
    await expect.poll(() => firstServer.database.query(expired)).toHaveLength(1);
    const taking = takeLease(secondServer.db, 'background', 'second', 60_000);
    takes.push(taking.then((result) => (isTaken = result)));
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%leases%'
      and datname = current_database()`;
    await expect.poll(() => firstServer.database.query(waiting)).toHaveLength(1);
    expect(isTaken).toBe(false);
  }, 'everything');

  expect(await Promise.all(takes)).toEqual([true]);

  await first.stop();
});

test('a node takes the lease after the clock of the database went back [NODE-2]', async () => {
  // Another node took the lease before the clock went back by an hour.
  const expiryByFastClock = `(extract(epoch from clock_timestamp()) * 1000)::bigint + 3600000`;
  await firstServer.database.query(
    `insert into leases (name, holder, "expiresAt") values ('background', 'killed', ${expiryByFastClock})`,
  );

  const node = await startLease(firstServer.db, 'node', log, times);

  expect(node.isHeld()).toBe(true);

  await node.stop();
});

test('a node whose machine was suspended no longer holds the lease [NODE-2]', async () => {
  const node = await startLease(firstServer.db, 'node', log, { ...times, renewMs: 3_600_000 });
  expect(node.isHeld()).toBe(true);

  // The monotonic clock does not advance while the machine is suspended, so only `Date` is faked.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + times.ttlMs });

  expect(node.isHeld()).toBe(false);

  vi.useRealTimers();
  await node.stop();
});

test('a node takes no lease before its start [NODE-2]', async () => {
  const idleLease = createBackgroundLease(firstServer.db, 'idle', log, times);
  const startedLease = await startLease(secondServer.db, 'started', log, times);

  expect([idleLease.isHeld(), startedLease.isHeld()]).toEqual([false, true]);

  await Promise.all([idleLease.stop(), startedLease.stop()]);
});
