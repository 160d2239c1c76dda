import { setTimeout as sleep } from 'node:timers/promises';
import { closeCodes } from '#contract/socket-address.ts';
import { waitUntil } from '../settle.ts';
import { startSlowLine } from '#tests/support/slow-line.ts';
import type { Fault } from '../stage.ts';

const bytesOfMessage = 12_000;
/**
 * More than all buffers on the way hold (the kernel's alone about 10 MiB), so that the rest waits at the
 * server.
 */
const enoughBytes = 24 * 1024 * 1024;
/** The close code of a connection that ended without a close frame. */
const abnormalClosure = 1006;
/** The minimum size of the buffers: the server does not disconnect a client before they are full. */
const bufferBytes = 4 * 1024 * 1024;
/** The server waits five seconds for the client to read the close frame, then ends the connection. */
const closeTimeoutMs = 4_000;
/** A server that waits for the reader takes ten times as long, a busy machine a second or two. */
const maxAckMs = 4_000;

/**
 * One client reads a byte per second in a busy room. Others must not notice, and the server disconnects it.
 */
export const slowReader: Fault = {
  name: 'slow-reader',
  load: { length: 4_000, everyMs: [5, 15], postsOnly: true },
  async run({ server, clients, history, addClient, observe, onCleanup }) {
    const line = await startSlowLine(server.origin);
    onCleanup(line.end);
    const reader = addClient(clients[4]!.account, 'slow', { url: line.url, timeoutMs: Infinity });
    await waitUntil(() => reader.connectedAt() !== null, 5_000);
    await sleep(200);
    line.throttle();
    const startedAt = performance.now();
    const listAckTimes = () =>
      history.operations.flatMap(({ invokedAt, answers: [first] }) =>
        first?.kind === 'acknowledged' && invokedAt > startedAt ? [first.time - invokedAt] : [],
      );
    const hasSent = (bytes: number) => () => listAckTimes().length * bytesOfMessage > bytes;
    await waitUntil(hasSent(bufferBytes), 20_000);
    const buffersFullAt = performance.now();
    await waitUntil(hasSent(enoughBytes), 20_000);
    const slowest = Math.round(Math.max(0, ...listAckTimes()));
    observe(
      'other clients are acknowledged in time',
      slowest < maxAckMs,
      `an ack took ${slowest} ms`,
    );
    // On a busy machine the buffers fill so slowly that the close timeout is over when the client reads.
    const tooLate = performance.now() - buffersFullAt > closeTimeoutMs;
    line.release();
    const isDisconnected = await waitUntil(() => reader.closes.length > 0, 10_000);
    observe('a client that does not read is disconnected', isDisconnected, 'still connected');
    const [code] = reader.closes;
    const isExpected = code === closeCodes.tooSlow || (tooLate && code === abnormalClosure);
    observe('its close code is 4008', isExpected, `closed with ${code}`);
  },
};
