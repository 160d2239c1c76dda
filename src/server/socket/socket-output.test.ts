import { expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { createSocketOutput } from './socket-output.ts';

/** A socket whose other end takes nothing. */
function stuckSocket() {
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send: (frame: string) => void (socket.bufferedAmount += frame.length),
    close: vi.fn<() => void>(() => void (socket.readyState = 2)),
    terminate: vi.fn<() => void>(),
  };
  return socket;
}

test('a browser that leaves more than 1 MiB of events is closed with 4008, and then cut off [WIRE-6]', () => {
  vi.useFakeTimers();
  const socket = stuckSocket();
  const output = createSocketOutput(socket as unknown as WebSocket);
  output.send('x'.repeat(1_048_576));
  expect(socket.close).not.toHaveBeenCalled();
  output.send('x');
  expect(socket.close).toHaveBeenCalledWith(4008, 'too slow');
  expect(socket.terminate).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(socket.terminate).toHaveBeenCalled();
  vi.useRealTimers();
});

test('what was missed while away does not count as being slow [WIRE-6]', () => {
  const socket = stuckSocket();
  const output = createSocketOutput(socket as unknown as WebSocket);
  void output.sendMissed('x'.repeat(3_000_000));
  output.send('x');
  expect(socket.close).not.toHaveBeenCalled();
});
