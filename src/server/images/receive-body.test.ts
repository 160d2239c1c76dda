import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { receiveBody } from './receive-body.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function requestOf(body: ReadableStream<Uint8Array>): Request {
  return new Request('http://localhost', { method: 'POST', body, duplex: 'half' } as RequestInit);
}

const late = {
  code: 'INVALID',
  message: 'The picture did not arrive whole. Please try again.',
};

it('waits two minutes for a body and no longer [PIC-4]', async () => {
  let give = (_: ReadableStreamDefaultController<Uint8Array>) => {};
  const started = new Promise<ReadableStreamDefaultController<Uint8Array>>((resolve) => {
    give = resolve;
  });
  const stream = () => new ReadableStream<Uint8Array>({ start: (controller) => give(controller) });
  const inTime = receiveBody(requestOf(stream()), 10, () => {});
  const controller = await started;
  controller.enqueue(new Uint8Array([1, 2]));
  await vi.advanceTimersByTimeAsync(119_000);
  controller.enqueue(new Uint8Array([3]));
  controller.close();
  expect([...(await inTime)]).toEqual([1, 2, 3]);

  const tooLate = expect(receiveBody(requestOf(stream()), 10, () => {})).rejects.toMatchObject(
    late,
  );
  await vi.advanceTimersByTimeAsync(120_000);
  await tooLate;
});

it('says so when the browser goes away [PIC-4]', async () => {
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error('gone')),
  });
  await expect(receiveBody(requestOf(stream), 10, () => {})).rejects.toMatchObject(late);
});
