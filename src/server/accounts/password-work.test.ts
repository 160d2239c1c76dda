import { expect, test } from 'vitest';
import { createPasswordWork, type Turn } from './password-work.ts';

const turnOf = (network: string, priority: Turn['priority'] = 'ordinary') => ({
  network,
  priority,
});

/** Runs work that ends on demand, in the order in which it started. */
function controlled(atOnce: number) {
  const clock = { now: 0 };
  const { run } = createPasswordWork(atOnce, () => clock.now);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, turn: Turn) =>
    run(turn, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    }).then(
      () => 'done',
      (error: unknown) => error,
    );
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
  /** Ends all work, one after the other. */
  async function finish(): Promise<void> {
    for (await settle(); ends.length > 0; await settle()) ends.shift()!();
  }
  return { clock, ask, begun, ends, settle, finish };
}

const tooMany = {
  code: 'TOO_MANY',
  message: 'You’re doing that too often. Please wait a moment.',
  retryAfterMs: expect.any(Number) as number,
};

test('no more than so many hash at once, the others wait for their turn [AUTH-45]', async () => {
  const { ask, begun, ends, settle, finish } = controlled(2);
  const all = Array.from({ length: 5 }, (_, n) => ask(String(n), turnOf('a')));
  for (let done = 0; done < 3; done++) {
    await settle();
    expect(begun).toHaveLength(2 + done);
    ends.shift()!();
  }
  await finish();
  expect(await Promise.all(all)).toEqual(Array.from({ length: 5 }, () => 'done'));
});

test('work that fails lets the next one begin [AUTH-45]', async () => {
  const { run } = createPasswordWork(1);
  const failing = run(turnOf('a'), () => Promise.reject(new Error('no')));
  const next = run(turnOf('a'), async () => 'done');
  await expect(failing).rejects.toThrow('no');
  expect(await next).toBe('done');
});

test('networks take turns, however much each asks; known browsers go first, suspect networks last [AUTH-58]', async () => {
  const { ask, begun, finish } = controlled(1);
  void ask('first', turnOf('z'));
  for (let n = 0; n < 3; n++) void ask(`flood ${n}`, turnOf('flood'));
  void ask('bad', turnOf('bad', 'suspect'));
  void ask('a', turnOf('a'));
  void ask('b', turnOf('b'));
  void ask('known', turnOf('flood', 'known'));
  await finish();
  expect(begun).toEqual([...['first', 'known', 'flood 0', 'a', 'b', 'flood 1', 'flood 2'], 'bad']);
});

test('if too many wait, the newest of whoever waits most is refused, and has not begun [AUTH-45, AUTH-58]', async () => {
  const { ask, begun, finish } = controlled(1);
  const flood = Array.from({ length: 601 }, (_, n) => ask(`flood ${n}`, turnOf('flood')));
  const single = ask('single', turnOf('single'));
  expect(await flood[600]).toMatchObject(tooMany);
  const known = ask('known', turnOf('single', 'known'));
  expect(await flood[599]).toMatchObject(tooMany);
  await finish();
  expect(await Promise.all([single, known])).toEqual(['done', 'done']);
  expect(begun).not.toContain('flood 600');
  expect(begun).not.toContain('flood 599');
  expect(begun).toHaveLength(601);
});

test('whose turn comes after half a minute is refused: most likely nobody waits any more [AUTH-45]', async () => {
  const { ask, clock, finish } = controlled(1);
  const [first, late] = [ask('first', turnOf('a')), ask('late', turnOf('a'))];
  clock.now = 30_001;
  await finish();
  expect(await first).toBe('done');
  expect(await late).toMatchObject(tooMany);
  const after = ask('after', turnOf('a'));
  await finish();
  expect(await after).toBe('done');
});
