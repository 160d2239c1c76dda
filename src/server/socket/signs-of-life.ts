import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/**
 * A peer lives while it sends anything, a pong or a frame, or takes some of what waits for it: behind
 * a long queue the ping itself may arrive late. What the system's buffers take at once is no sign.
 */
export class SignsOfLife {
  readonly #stream: Duplex & Partial<Pick<Socket, 'bytesRead' | 'bytesWritten'>>;
  #received: number;
  #taken = 0;
  #waited = 0;
  /** Before the first ping there is none to miss. */
  #misses = -1;

  constructor(stream: Duplex & Partial<Pick<Socket, 'bytesRead'>>) {
    this.#stream = stream;
    this.#received = stream.bytesRead ?? 0;
  }

  /** @returns how many pings in a row had no answer of any kind */
  countMisses(): number {
    const { bytesRead = 0, bytesWritten = 0, writableLength } = this.#stream;
    const taken = bytesWritten - writableLength;
    const lives = bytesRead > this.#received || (this.#waited > 0 && taken > this.#taken);
    [this.#received, this.#taken, this.#waited] = [bytesRead, taken, writableLength];
    this.#misses = lives ? 0 : this.#misses + 1;
    return this.#misses;
  }
}
