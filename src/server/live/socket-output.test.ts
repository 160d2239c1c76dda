import { setImmediate } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketOutput } from './socket-output.ts';

/** A socket whose peer takes nothing, and the bytes written to it. */
function createStuckSocket() {
  const written: Buffer[] = [];
  const stream = {
    writableLength: 0,
    write(bytes: Buffer) {
      written.push(bytes);
      stream.writableLength += bytes.length;
    },
    corked: 0,
    /** What leaves the stream: corked writes leave together. */
    writes: 0,
    cork: () => void (stream.corked += 1),
    uncork: () => void (--stream.corked === 0 && (stream.writes += 1)),
  };
  const socket = {
    OPEN: 1,
    readyState: 1,
    close: vi.fn<() => void>(() => void (socket.readyState = 2)),
    terminate: vi.fn<() => void>(),
    ping: vi.fn<() => void>(),
    on: () => socket,
    off: () => socket,
  };
  const onTooSlow = vi.fn<() => void>();
  const output = new SocketOutput(
    socket as unknown as WebSocket,
    stream as unknown as Duplex,
    onTooSlow,
  );
  return { socket, stream, output, written, onTooSlow };
}

const createBytes = (length: number) => Buffer.alloc(length, 'x');

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('a browser with more than 1 MiB of unsent events is too slow, and is terminated after the close [WIRE-6]', async () => {
  const { socket, output, onTooSlow } = createStuckSocket();
  output.send(createBytes(1_048_576));
  await setImmediate();
  expect(onTooSlow).not.toHaveBeenCalled();
  output.send(createBytes(1));
  await setImmediate();
  expect(onTooSlow).toHaveBeenCalledOnce();
  output.close(4008, 'too slow');
  expect(socket.close).toHaveBeenCalledWith(4008, 'too slow');
  expect(socket.terminate).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(socket.terminate).toHaveBeenCalled();
});

test('catch-up bytes do not count as slowness [WIRE-6]', async () => {
  const { output, onTooSlow } = createStuckSocket();
  void output.sendCatchUp(createBytes(3_000_000));
  output.send(createBytes(1));
  await setImmediate();
  expect(onTooSlow).not.toHaveBeenCalled();
});

test('a browser that does not confirm its catch-up within 30 s is too slow [WIRE-16]', async () => {
  const { output, onTooSlow } = createStuckSocket();
  void output.sendCatchUp(createBytes(70_000));
  await vi.advanceTimersByTimeAsync(29_999);
  expect(onTooSlow).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onTooSlow).toHaveBeenCalledOnce();
});

test('unsent frames are discarded when the session ends, even behind a long queue [WIRE-17]', async () => {
  const { socket, output, written } = createStuckSocket();
  output.send(createBytes(1));
  output.abort(4001, 'signed out');
  expect(written).toEqual([]);
  expect(socket.close).toHaveBeenCalledWith(4001, 'signed out');
  const stuck = createStuckSocket();
  void stuck.output.sendCatchUp(createBytes(70_000));
  stuck.output.abort(4001, 'signed out');
  expect(stuck.socket.terminate).toHaveBeenCalledOnce();
});

test('frames leave in order: live frames, then catch-up, then the close', async () => {
  const { socket, output, written } = createStuckSocket();
  output.send(createBytes(1));
  output.send(createBytes(2));
  void output.sendCatchUp(createBytes(3), createBytes(4));
  output.send(createBytes(5));
  output.close(4001, 'signed out');
  expect(written.map(({ length }) => length)).toEqual([1, 2, 3, 4, 5]);
  expect(socket.close).toHaveBeenCalledWith(4001, 'signed out');
  output.send(createBytes(6));
  await setImmediate();
  expect(written).toHaveLength(5);
});

test('catch-up and the live frame after it leave in one write', async () => {
  const { output, written, stream } = createStuckSocket();
  await output.sendCatchUp(createBytes(3), createBytes(4));
  output.send(createBytes(5));
  expect(stream.corked).toBe(1);
  await setImmediate();
  expect(stream.corked).toBe(0);
  expect(written.map(({ length }) => length)).toEqual([3, 4, 5]);
  expect(stream.writes).toBe(1);
});
