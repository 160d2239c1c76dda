import { setImmediate } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { SocketOutput } from './socket-output.ts';

/** A socket whose peer takes nothing, and the bytes written to it. */
function stuckSocket() {
  const written: Buffer[] = [];
  const stream = {
    writableLength: 0,
    write(bytes: Buffer) {
      written.push(bytes);
      stream.writableLength += bytes.length;
    },
    cork: () => {},
    uncork: () => {},
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
  return { socket, output, written, onTooSlow };
}

const bytes = (length: number) => Buffer.alloc(length, 'x');

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('a browser that leaves more than 1 MiB of events is too slow, and is cut off after its close [WIRE-6]', async () => {
  const { socket, output, onTooSlow } = stuckSocket();
  output.send(bytes(1_048_576));
  await setImmediate();
  expect(onTooSlow).not.toHaveBeenCalled();
  output.send(bytes(1));
  await setImmediate();
  expect(onTooSlow).toHaveBeenCalledOnce();
  output.close(4008, 'too slow');
  expect(socket.close).toHaveBeenCalledWith(4008, 'too slow');
  expect(socket.terminate).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(socket.terminate).toHaveBeenCalled();
});

test('what was missed while away does not count as being slow [WIRE-6]', async () => {
  const { output, onTooSlow } = stuckSocket();
  void output.sendMissed(bytes(3_000_000));
  output.send(bytes(1));
  await setImmediate();
  expect(onTooSlow).not.toHaveBeenCalled();
});

test('a browser that confirms none of what was missed for 30 s is too slow [WIRE-16]', async () => {
  const { output, onTooSlow } = stuckSocket();
  void output.sendMissed(bytes(70_000));
  await vi.advanceTimersByTimeAsync(29_999);
  expect(onTooSlow).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onTooSlow).toHaveBeenCalledOnce();
});

test('when the session ends, what waits is not sent: not even behind a long line [WIRE-17]', async () => {
  const { socket, output, written } = stuckSocket();
  output.send(bytes(1));
  output.cut(4001, 'signed out');
  expect(written).toEqual([]);
  expect(socket.close).toHaveBeenCalledWith(4001, 'signed out');
  const stuck = stuckSocket();
  void stuck.output.sendMissed(bytes(70_000));
  stuck.output.cut(4001, 'signed out');
  expect(stuck.socket.terminate).toHaveBeenCalledOnce();
});

test('what is said before what was missed leaves before it, and a close after all', async () => {
  const { socket, output, written } = stuckSocket();
  output.send(bytes(1));
  output.send(bytes(2));
  void output.sendMissed(bytes(3), bytes(4));
  output.send(bytes(5));
  output.close(4001, 'signed out');
  expect(written.map(({ length }) => length)).toEqual([1, 2, 3, 4, 5]);
  expect(socket.close).toHaveBeenCalledWith(4001, 'signed out');
  output.send(bytes(6));
  await setImmediate();
  expect(written).toHaveLength(5);
});
