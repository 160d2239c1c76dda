// What leaves by one socket, and what happens when the other end does not take it.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EncodedFrame } from './encode-frame.ts';
import type { Outgoing } from './subscription.ts';
import { writeNow } from './write-now.ts';

/** Past this many bytes of live frames unsent the browser is too slow: it comes back and resumes. */
const maxBufferedBytes = 1024 * 1024; // WIRE-6
const timeoutMs = 5000;
/** Bytes of what was missed that are on their way at a time, until the browser confirms them. */
const windowBytes = 64 * 1024; // WIRE-16
const confirmWithinMs = 30_000; // WIRE-16

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
  /** Of what was missed, sent since the browser last confirmed that all of it had arrived. */
  #unconfirmedBytes = 0;
  #confirmations = 0;
  readonly #onTooSlow: () => void;

  /**
   * @param stream the connection below the socket: frames that are encoded already go straight to
   * it, and `ws`, which would encode them again for each socket, writes only its pings and closes
   * @param onTooSlow called where the browser does not take what it is sent
   */
  constructor(socket: WebSocket, stream: Duplex, onTooSlow: () => void) {
    this.#socket = socket;
    this.#stream = stream;
    this.#onTooSlow = onTooSlow;
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
    if (stream.writableLength - this.#missedBytes > maxBufferedBytes) this.#onTooSlow();
  }

  /**
   * Waits also for the browser: buffers of the system and of a proxy take much more than a slow line
   * carries in a minute, and the pings that show whether it is alive would wait behind all of it.
   */
  async sendMissed(...parts: Buffer[]): Promise<void> {
    this.flush();
    if (!this.#isOpen()) return;
    const taken = this.#write(parts);
    if (this.#unconfirmedBytes < windowBytes) return taken;
    this.#unconfirmedBytes = 0;
    await Promise.all([taken, this.#confirmed()]);
  }

  /** Resolves when the system has taken it. */
  #write(parts: Buffer[]): Promise<void> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    this.#missedBytes += bytes;
    this.#unconfirmedBytes += bytes;
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

  /** Resolves when the browser has received all that was sent until now, or the socket has ended. */
  #confirmed(): Promise<void> {
    const socket = this.#socket;
    const asked = String(++this.#confirmations);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#onTooSlow(), confirmWithinMs);
      const end = () => {
        clearTimeout(timer);
        socket.off('pong', onPong).off('close', end);
        resolve();
      };
      const onPong = (data: Buffer) => {
        if (data.toString('latin1') === asked) end();
      };
      socket.on('pong', onPong).on('close', end);
      socket.ping(asked);
    });
  }

  /** Asks the other end to close, after all that was sent; one that does not is cut off. */
  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), timeoutMs).unref();
  }

  /** The same, and what is not on its way yet is never sent. */
  cut(code: number, reason: string): void {
    this.#unsent = null;
    if (this.#stream.writableLength > windowBytes) this.#socket.terminate();
    else this.close(code, reason);
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }
}
