// What leaves by one socket, and what happens when the other end does not take it.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeCodes } from '#contract/socket-address.ts';
import type { EncodedFrame } from './encode-frame.ts';
import type { Outgoing } from './subscription.ts';
import { writeNow } from './write-now.ts';

/** Past this many bytes of live frames unsent the browser is too slow: it comes back and resumes. */
const mostBufferedBytes = 1024 * 1024; // WIRE-6
const patienceMs = 5000;

/** Those with something to send. What one turn of the event loop has for a socket is one write. */
let due: SocketOutput[] = [];

function flushAll(): void {
  const outputs = due;
  due = [];
  for (const output of outputs) output.flush();
}

// A class, like the connection and its subscriptions: a server holds thousands of each, and methods
// take no memory per socket.
export class SocketOutput implements Outgoing {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  #unsent: EncodedFrame | EncodedFrame[] | null = null;
  /** Of what was missed, given to the stream and not yet taken: it does not count as being slow. */
  #missedBytes = 0;

  /**
   * @param stream the connection below the socket: frames that are encoded already go straight to
   * it, and `ws`, which would encode them again for each socket, writes only its pings and closes
   */
  constructor(socket: WebSocket, stream: Duplex) {
    this.#socket = socket;
    this.#stream = stream;
  }

  send(frame: EncodedFrame): void {
    const unsent = this.#unsent;
    if (unsent === null) {
      this.#unsent = frame;
      if (due.push(this) === 1) process.nextTick(flushAll);
    } else if (Array.isArray(unsent)) unsent.push(frame);
    else this.#unsent = [unsent, frame];
  }

  flush(): void {
    const frames = this.#unsent;
    this.#unsent = null;
    if (!frames || !this.#isOpen()) return;
    const stream = this.#stream;
    if (Array.isArray(frames)) {
      stream.cork();
      for (const frame of frames) stream.write(frame);
      stream.uncork();
    } else writeNow(stream, frames);
    if (stream.writableLength - this.#missedBytes > mostBufferedBytes) this.fellBehind();
  }

  sendMissed(...parts: Buffer[]): Promise<void> {
    this.flush();
    if (!this.#isOpen()) return Promise.resolve();
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    this.#missedBytes += bytes;
    const stream = this.#stream;
    return new Promise((resolve) => {
      const taken = () => {
        this.#missedBytes -= bytes;
        resolve();
      };
      stream.cork();
      for (const [n, part] of parts.entries()) {
        stream.write(part, n === parts.length - 1 ? taken : undefined);
      }
      stream.uncork();
    });
  }

  fellBehind(): void {
    this.close(closeCodes.tooSlow, 'too slow');
  }

  /** Asks the other end to close; one that does not is cut off. */
  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), patienceMs).unref();
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }
}
