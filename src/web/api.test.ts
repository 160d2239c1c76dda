import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { call, formatDuration, setFactorConfirmation, toErrorMessage } from './api.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Stubs a response whose chunks arrive one by one. */
function answer(pieces: readonly string[], everyMs: number, ends: boolean): void {
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        signal?.addEventListener('abort', () => controller.error(new Error('Aborted.')));
        for (const piece of pieces) {
          await new Promise((resolve) => setTimeout(resolve, everyMs));
          controller.enqueue(new TextEncoder().encode(piece));
        }
        if (ends) controller.close();
      },
    });
    return Promise.resolve(new Response(body));
  });
}

const catchToMessage = (promise: Promise<unknown>) => promise.catch(toErrorMessage);
const unreachable = 'The server cannot be reached. Please check your connection and try again.';

describe('a call', () => {
  test('a call awaits a slow response while its bytes arrive [HTTP-48]', async () => {
    answer(['{"account"', ':', 'nu', 'll', '}'], 15_000, true);
    const pendingCall = catchToMessage(call('me', {}));
    await vi.advanceTimersByTimeAsync(80_000);
    expect(await pendingCall).toEqual({ account: null });
  });

  test('a call fails when nothing arrives for 20 seconds, also in the middle [HTTP-48]', async () => {
    for (const [pieces, ms] of [
      [[], 20_000],
      [['{"account"'], 35_000],
    ] as const) {
      answer(pieces, 15_000, false);
      let message: unknown = null;
      void catchToMessage(call('me', {})).then((sentence) => (message = sentence));
      await vi.advanceTimersByTimeAsync(ms - 100);
      expect(message).toBeNull();
      await vi.advanceTimersByTimeAsync(200);
      expect(message).toBe(unreachable);
    }
  });

  test('a call says in our words what a proxy answered in its own [HTTP-47]', async () => {
    const getSentence = (status: number, body: string) => {
      vi.stubGlobal('fetch', () => Promise.resolve(new Response(body, { status })));
      return catchToMessage(call('me', {}));
    };
    const html = '<html><body><h1>nginx</h1></body></html>';
    for (const status of [502, 503, 504]) expect(await getSentence(status, html)).toBe(unreachable);
    expect(await getSentence(200, html)).toBe(unreachable);
    expect(await getSentence(413, html)).toBe(
      'This is larger than the proxy in front of this server allows. Please shorten it, or ask the operator of this server to raise the limit.',
    );
    const ours = JSON.stringify({ code: 'UNAVAILABLE', message: 'The server is full.' });
    expect(await getSentence(503, ours)).toBe('The server is full.');
    const unknown = JSON.stringify({ code: 'ADDED_LATER', message: 'The library is closed.' });
    expect(await getSentence(409, unknown)).toBe('The library is closed.');
    const gateway = JSON.stringify({ code: 'ServiceUnavailable', message: 'No upstream.' });
    expect(await getSentence(503, gateway)).toBe(unreachable);
    expect(await getSentence(500, html)).toBe('Something went wrong. Please try again.');
  });
});

test('a call that needs the second factor is made again after the proof, and fails without one [FACTOR-8]', async () => {
  const body = JSON.stringify({ code: 'FACTOR_NEEDED', message: 'Prove it.' });
  const input = { body: { password: 'a password', messages: 'keep' } } as const;
  for (const [isProved, outcome] of [
    [true, { resolved: {}, calls: 2 }],
    [false, { rejected: 'Prove it.', calls: 1 }],
  ] as const) {
    const fetchCall = vi
      .fn<typeof fetch>()
      .mockResolvedValueOnce(new Response(body, { status: 403 }))
      .mockResolvedValueOnce(Response.json({}));
    vi.stubGlobal('fetch', fetchCall);
    setFactorConfirmation(() => Promise.resolve(isProved));

    const result = await call('deleteAccount', input).then(
      (resolved) => ({ resolved }),
      (error: unknown) => ({ rejected: toErrorMessage(error) }),
    );

    expect({ ...result, calls: fetchCall.mock.calls.length }).toEqual(outcome);
    expect(new Set(fetchCall.mock.calls.map(([, init]) => init?.body)).size).toBe(1);
  }
});

test('bodies of a short and a long text have one size [ANON-62]', async () => {
  vi.useRealTimers();
  const fetchCall = vi.fn<typeof fetch>(() => Promise.resolve(Response.json({})));
  vi.stubGlobal('fetch', fetchCall);
  const params = { classId: 'class' };

  for (const text of ['a', '🦦'.repeat(500)]) {
    await call('reportMember', { params, body: { reason: 'spam', text } });
  }

  const bodies = fetchCall.mock.calls.map(([, init]) => String(init?.body));
  expect(bodies.map((body) => Buffer.byteLength(body))).toEqual([4096, 4096]);
  expect(JSON.parse(bodies[0]!)).toEqual({ reason: 'spam', text: 'a' });
});

test.each([
  [0, '1 second'],
  [1000, '1 second'],
  [1001, '2 seconds'],
  [119_000, '119 seconds'],
  [120_000, '2 minutes'],
  [120_001, '3 minutes'],
  [119 * 60_000, '119 minutes'],
  [120 * 60_000, '2 hours'],
  [121 * 60_000, '3 hours'],
])('%i ms are %s [LIMIT-30]', (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});
