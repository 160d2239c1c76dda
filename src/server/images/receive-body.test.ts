import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { receiveBody } from './receive-body.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function requestOf(body: ReadableStream<Uint8Array>): Request {
  return new Request('http://localhost', { method: 'POST', body, duplex: 'half' });
}

const late = {
  code: 'INVALID',
  message: 'The picture did not arrive whole. Please try again.',
};

it('waits two minutes for a body and no longer [PIC-4]', async () => {
  type Controller = ReadableStreamDefaultController<Uint8Array>;
  const { promise: started, resolve: start } = Promise.withResolvers<Controller>();
  const stream = () => new ReadableStream<Uint8Array>({ start });
  const inTime = receiveBody(requestOf(stream()), 10, () => {});
  const controller = await started;
  controller.enqueue(new Uint8Array([1, 2]));
  await vi.advanceTimersByTimeAsync(119_000);
  controller.enqueue(new Uint8Array([3]));
  controller.close();
  expect([...(await inTime)]).toEqual([1, 2, 3]);

  const tooLate = receiveBody(requestOf(stream()), 10, () => {}).catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(await tooLate).toMatchObject(late);
});

it('says so when the browser goes away [PIC-4]', async () => {
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('gone')),
  });
  await expect(receiveBody(requestOf(stream), 10, () => {})).rejects.toMatchObject(late);
});
