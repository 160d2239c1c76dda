import { expect, test } from 'vitest';
import { createHashingQueue, type Requester } from './hashing-queue.ts';

let accounts = 0;
/** Another account each time. */
const createRequester = (network: string, priority: Requester['priority'] = 'normal') => ({
  network,
  account: String(accounts++),
  priority,
});

/** Runs jobs that end on demand, in the order in which they started. */
function createControlledQueue(concurrency: number) {
  const clock = { now: 0 };
  const { run } = createHashingQueue(concurrency, () => clock.now);
  const startedNames: string[] = [];
  const ends: (() => void)[] = [];
  const request = (name: string, requester: Requester) =>
    run(requester, () => {
      startedNames.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    }).then(
      () => 'done',
      (error: unknown) => error,
    );
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Ends all jobs, one after the other. */
  async function finish(): Promise<void> {
    for (await settle(); ends.length > 0; await settle()) ends.shift()!();
  }
  return { clock, request, started: startedNames, ends, settle, finish };
}

const tooMany = {
  code: 'TOO_MANY',
  message: 'You’re doing that too often. Please wait a moment.',
  retryAfterMs: expect.any(Number) as number,
};

test('runs at most the given number of jobs at the same time and queues the others [AUTH-45]', async () => {
  const { request, started, ends, settle, finish } = createControlledQueue(2);
  const all = Array.from({ length: 5 }, (_, n) => request(String(n), createRequester('a')));
  for (let done = 0; done < 3; done++) {
    await settle();
    expect(started).toHaveLength(2 + done);
    ends.shift()!();
  }
  await finish();
  expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'done'));
});

test('starts the next job after one that fails [AUTH-45]', async () => {
  const { run } = createHashingQueue(1);
  const failing = run(createRequester('a'), () => Promise.reject(new Error('no')));
  const next = run(createRequester('a'), async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('lets networks take turns, and the accounts of a network, however many requests each sends [AUTH-45]', async () => {
  const { request, started, finish } = createControlledQueue(1);
  void request('first', createRequester('z'));
  for (let n = 0; n < 3; n++) void request(`flood ${n}`, createRequester('flood'));
  void request('a', createRequester('a'));
  const account = createRequester('campus');
  for (let n = 0; n < 3; n++) void request(`one ${n}`, account);
  void request('other', createRequester('campus'));
  await finish();
  expect(started).toEqual([
    ...['first', 'flood 0', 'a', 'one 0', 'flood 1', 'other', 'flood 2', 'one 1', 'one 2'],
  ]);
});

test('lets known browsers go first without keeping others out, and suspect networks last without keeping them out [AUTH-45]', async () => {
  const { request, started, finish } = createControlledQueue(1);
  void request('first', createRequester('z'));
  for (let n = 0; n < 100; n++) {
    void request('high', createRequester('one', 'high'));
    void request('normal', createRequester('two', 'normal'));
    void request('low', createRequester('three', 'low'));
  }
  await finish();
  const count = (name: string) =>
    started.slice(1, 71).filter((startedName) => startedName === name).length;
  expect(Math.abs(count('high') - 40)).toBeLessThan(3);
  expect(Math.abs(count('normal') - 20)).toBeLessThan(3);
  expect(Math.abs(count('low') - 10)).toBeLessThan(3);
  expect(started.slice(1, 5)).toContain('high');
});

test('runs one job of an account of a network at a time, and lets others pass the jobs that wait for it [AUTH-45]', async () => {
  const { request, started, ends, settle, finish } = createControlledQueue(2);
  const account = createRequester('a');
  void request('one', account);
  void request('two', account);
  void request('other', createRequester('a'));
  await settle();
  expect(started).toEqual(['one', 'other']);
  ends.pop()!();
  await settle();
  expect(started).toEqual(['one', 'other']);
  await finish();
  expect(started).toEqual(['one', 'other', 'two']);
});

test('rejects the eleventh waiting job of an account of a network [AUTH-45]', async () => {
  const { request, finish } = createControlledQueue(1);
  const account = createRequester('a', 'high');
  const all = Array.from({ length: 12 }, (_, n) => request(String(n), account));
  const other = request('other', createRequester('a', 'high'));
  expect(await all[11]).toMatchObject(tooMany);
  await finish();
  expect(await Promise.all([...all.slice(0, 11), other])).toEqual(
    Array.from({ length: 12 }, () => 'done'),
  );
});

test('rejects the newest job of the longest queue when the queue is full, without starting it [AUTH-45]', async () => {
  const { request, started, finish } = createControlledQueue(1);
  const flood = Array.from({ length: 601 }, (_, n) =>
    request(`flood ${n}`, createRequester('flood')),
  );
  const single = request('single', createRequester('single'));
  expect(await flood[600]).toMatchObject(tooMany);
  const knownRequest = request('known', createRequester('single', 'high'));
  expect(await flood[599]).toMatchObject(tooMany);
  await finish();
  expect(await Promise.all([single, knownRequest])).toEqual(['done', 'done']);
  expect(started).not.toContain('flood 600');
  expect(started).not.toContain('flood 599');
  expect(started).toHaveLength(601);
});

test('rejects a job that has waited longer than half a minute [AUTH-45]', async () => {
  const { request, clock, finish } = createControlledQueue(1);
  const first = request('first', createRequester('a'));
  const lateRequest = request('late', createRequester('a'));
  clock.now = 30_001;
  await finish();
  expect(await first).toBe('done');
  expect(await lateRequest).toMatchObject(tooMany);
  const laterRequest = request('after', createRequester('a'));
  await finish();
  expect(await laterRequest).toBe('done');
});
