import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { receiveBody } from './receive-body.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createRequest(body: ReadableStream<Uint8Array>): Request {
  return new Request('http://localhost', { method: 'POST', body, duplex: 'half' });
}

const incomplete = {
  code: 'INVALID',
  message: 'The picture was not uploaded completely. Please try again.',
};

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** A body that the test sends, and a permit that has room for it. */
async function startReceiving(maxBytes = 1000) {
  const { promise: whenStarted, resolve: start } = Promise.withResolvers<Controller>();
  const end = new AbortController();
  const permit = { grow: vi.fn<() => Promise<void>>(async () => {}), signal: end.signal };
  const request = createRequest(new ReadableStream<Uint8Array>({ start }));
  const body = receiveBody(request, maxBytes, permit, () => {}).catch((error: unknown) => error);
  return { controller: await whenStarted, body, permit, end };
}

it('waits for a body that keeps arriving, for two minutes at most [PIC-9]', async () => {
  for (const [seconds, expected] of [
    [119, new Uint8Array(17).fill(1)],
    [126, incomplete],
  ] as const) {
    const { controller, body } = await startReceiving();
    for (let secondsLeft = seconds; secondsLeft > 7; secondsLeft -= 7) {
      controller.enqueue(new Uint8Array([1]));
      await vi.advanceTimersByTimeAsync(7000);
    }
    controller.enqueue(new Uint8Array([1]));
    if (seconds > 120) await vi.advanceTimersByTimeAsync(7000);
    else controller.close();
    const got = await body;
    expect(got instanceof Uint8Array ? [...got] : got).toEqual(
      expected instanceof Uint8Array ? [...expected] : expect.objectContaining(expected),
    );
  }
});

it('fails after ten seconds without a byte [PIC-9]', async () => {
  const { controller, body } = await startReceiving();
  controller.enqueue(new Uint8Array([1]));
  const settled = vi.fn<() => void>();
  void body.then(settled);
  await vi.advanceTimersByTimeAsync(9999);
  expect(settled).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(await body).toMatchObject(incomplete);
});

it('does not count the time in which the sender waits for room [PIC-9]', async () => {
  const { controller, body, permit } = await startReceiving(200_000);
  const { promise: room, resolve } = Promise.withResolvers<void>();
  permit.grow.mockReturnValueOnce(room);
  const file = crypto.getRandomValues(new Uint8Array(60_000));
  for (let n = 0; n < 3; n++) controller.enqueue(file);
  await vi.advanceTimersByTimeAsync(60_000);
  resolve();
  await vi.advanceTimersByTimeAsync(9000);
  controller.close();
  expect(Buffer.concat([file, file, file]).equals((await body) as Uint8Array)).toBe(true);
  expect(permit.grow).toHaveBeenCalledTimes(2);
});

it('fails if it has to make room for others, and if it is too large [PIC-9]', async () => {
  const { body, end } = await startReceiving();
  end.abort(new AppError('TOO_MANY'));
  expect(await body).toMatchObject({ code: 'TOO_MANY' });
  const large = await startReceiving(10);
  large.controller.enqueue(new Uint8Array(11));
  expect(await large.body).toMatchObject({ code: 'IMAGE_TOO_LARGE' });
});

it('fails if the browser disconnects [PIC-9]', async () => {
  const { controller, body } = await startReceiving();
  controller.error(new Error('gone'));
  expect(await body).toMatchObject(incomplete);
});
