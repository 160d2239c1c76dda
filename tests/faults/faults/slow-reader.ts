import { setTimeout as sleep } from 'node:timers/promises';
import { closeCodes } from '#contract/socket-address.ts';
import { until } from '../settle.ts';
import { startSlowLine } from '../slow-line.ts';
import type { Fault } from '../stage.ts';

const bytesOfMessage = 12_000;
/** More than all the buffers on the way hold (the kernel's alone some 10 MiB), so that the rest waits at the server. */
const enoughBytes = 24 * 1024 * 1024;
/** A line that ended without a goodbye. */
const cutOff = 1006;
/** What the buffers hold at least: before it nobody is let go. */
const buffersHold = 4 * 1024 * 1024;
/** The server waits five seconds for the goodbye to be read, and then cuts the line. */
const goodbyeWaitsMs = 4_000;
const maxAckMs = 1_000;

/** Somebody reads a byte a second while the room is busy: the others feel nothing, and it is let go. */
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
    // On a busy machine filling the buffers takes so long that the goodbye is over when it is read.
    const tooLate = performance.now() - mayBeLetGoFrom > goodbyeWaitsMs;
    line.release();
    const letGo = await until(() => reader.closes.length > 0, 10_000);
    observe('whoever does not read is let go', letGo, 'still connected');
    const [code] = reader.closes;
    const told = code === closeCodes.tooSlow || (tooLate && code === cutOff);
    observe('it is told so with 4008', told, `closed with ${code}`);
  },
};
