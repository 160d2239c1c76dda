// Sends frames to one socket, and reports a browser that does not keep up.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EncodedFrame } from './encode-frame.ts';
import type { Outgoing } from './subscription.ts';
import { writeNow } from './write-now.ts';

/** With more unsent bytes of live frames, the browser is too slow. It has to reconnect and resume. */
const maxBufferedBytes = 1024 * 1024; // WIRE-6
const timeoutMs = 5000;
/** Bytes of catch-up data that may be in flight until the browser confirms them. */
const windowBytes = 64 * 1024; // WIRE-16
const confirmWithinMs = 30_000; // WIRE-16

/** Outputs with pending frames. All frames of one event loop turn go out in one write per socket. */
let due: SocketOutput[] = [];

function flushAll(): void {
  const outputs = due;
  due = [];
  for (const output of outputs) output.flush();
}

// One instance exists per socket, so this is a class: methods cost no memory per instance.
export class SocketOutput implements Outgoing {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  #unsent: EncodedFrame | EncodedFrame[] | null = null;
  /** Catch-up bytes that the stream has not taken yet. They do not count as slowness. */
  #missedBytes = 0;
  /** Catch-up bytes sent since the browser's last confirmation. */
  #unconfirmedBytes = 0;
  #confirmations = 0;
  readonly #onTooSlow: () => void;

  /**
   * @param stream the connection below the socket. Encoded frames go straight to it. `ws` writes only
   *   pings and closes, because it would encode every frame again for each socket.
   * @param onTooSlow called if the browser does not receive fast enough
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
   * Waits for the browser's confirmation, not only for the stream. System and proxy buffers hold more
   * than a slow line carries in a minute, and keep-alive pings would wait behind all of it.
   */
  async sendMissed(...parts: Buffer[]): Promise<void> {
    this.flush();
    if (!this.#isOpen()) return;
    const taken = this.#write(parts);
    if (this.#unconfirmedBytes < windowBytes) return taken;
    this.#unconfirmedBytes = 0;
    await Promise.all([taken, this.#confirmed()]);
  }

  /** Resolves when the operating system has taken the bytes. */
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

  /** Resolves when the browser has received everything sent so far, or when the socket closes. */
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

  /** Closes the socket after everything sent so far. If the browser does not respond, terminates it. */
  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), timeoutMs).unref();
  }

  /** Like `close`, but discards frames that are not in flight yet. */
  cut(code: number, reason: string): void {
    this.#unsent = null;
    if (this.#stream.writableLength > windowBytes) this.#socket.terminate();
    else this.close(code, reason);
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }
}
