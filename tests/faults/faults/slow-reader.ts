import { setTimeout as sleep } from 'node:timers/promises';
import { closeCodes } from '#contract/socket-address.ts';
import { until } from '../settle.ts';
import { startSlowLine } from '../slow-line.ts';
import type { Fault } from '../stage.ts';

const bytesOfMessage = 12_000;
/**
 * More than all buffers on the way hold (the kernel's alone about 10 MiB), so that the rest waits at the
 * server.
 */
const enoughBytes = 24 * 1024 * 1024;
/** The close code of a connection that ended without a close frame. */
const cutOff = 1006;
/** The minimum size of the buffers: the server does not disconnect a client before they are full. */
const buffersHold = 4 * 1024 * 1024;
/** The server waits five seconds for the client to read the close frame, then ends the connection. */
const goodbyeWaitsMs = 4_000;
const maxAckMs = 1_000;

/**
 * One client reads a byte per second in a busy room. Others must not notice, and the server disconnects it.
 */
export const slowReader: Fault = {
  name: 'slow-reader',
  load: { length: 4_000, everyMs: [5, 15], postsOnly: true },
  async run({ server, clients, history, addClient, observe, atEnd }) {
    const line = await startSlowLine(server.origin);
    atEnd(line.end);
    const reader = addClient(clients[4]!, 'slow', { url: line.url, timeoutMs: Infinity });
    await until(() => reader.connectedAt() !== null, 5_000);
    await sleep(200);
    line.throttle();
    const since = performance.now();
    const acks = () =>
      history.operations.flatMap(({ invokedAt, answers: [first] }) =>
        first?.kind === 'acknowledged' && invokedAt > since ? [first.at - invokedAt] : [],
      );
    const sent = (bytes: number) => () => acks().length * bytesOfMessage > bytes;
    await until(sent(buffersHold), 20_000);
    const mayBeLetGoFrom = performance.now();
    await until(sent(enoughBytes), 20_000);
    const slowest = Math.round(Math.max(0, ...acks()));
    observe('the others feel nothing', slowest < maxAckMs, `an ack took ${slowest} ms`);
    // On a busy machine the buffers fill so slowly that the close timeout is over when the client reads.
    const tooLate = performance.now() - mayBeLetGoFrom > goodbyeWaitsMs;
    line.release();
    const letGo = await until(() => reader.closes.length > 0, 10_000);
    observe('whoever does not read is let go', letGo, 'still connected');
    const [code] = reader.closes;
    const told = code === closeCodes.tooSlow || (tooLate && code === cutOff);
    observe('it is told so with 4008', told, `closed with ${code}`);
  },
};
