import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * Detects dead peers. A peer is alive if it sends a pong or a frame, or if it takes queued bytes, because a ping behind a long
 * queue may arrive late. Bytes that go straight to the system's buffers do not count.
 */
export class LivenessMonitor {
  readonly #stream: Duplex & Partial<Pick<Socket, 'bytesRead' | 'bytesWritten'>>;
  #receivedBytes: number;
  #sentBytes = 0;
  #queuedBytes = 0;
  /** Starts at -1, because no ping was sent before the first count. */
  #misses = -1;

  constructor(stream: Duplex & Partial<Pick<Socket, 'bytesRead'>>) {
    this.#stream = stream;
    this.#receivedBytes = stream.bytesRead ?? 0;
  }

  /** @returns the number of consecutive pings without any sign of life */
  countMisses(): number {
    const { bytesRead = 0, bytesWritten = 0, writableLength } = this.#stream;
    const sentBytes = bytesWritten - writableLength;
    const isAlive =
      bytesRead > this.#receivedBytes || (this.#queuedBytes > 0 && sentBytes > this.#sentBytes);
    this.#receivedBytes = bytesRead;
    this.#sentBytes = sentBytes;
    this.#queuedBytes = writableLength;
    this.#misses = isAlive ? 0 : this.#misses + 1;
    return this.#misses;
  }
}
