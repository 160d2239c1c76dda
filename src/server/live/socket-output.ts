// Sends frames to one socket, and reports a browser that does not keep up.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EncodedFrame } from './frames.ts';

/** The maximum of unsent bytes of live frames. A browser with more is too slow, and has to reconnect and resume. */
const maxBufferedBytes = 1024 * 1024; // WIRE-6
/** If the browser does not confirm the close within this time, the server terminates the socket. */
const closeTimeoutMs = 5000;
/** The maximum of catch-up bytes that the browser has not confirmed. */
const windowBytes = 64 * 1024; // WIRE-16
const confirmTimeoutMs = 30_000; // WIRE-16

/** Outputs with unwritten frames. All frames of one event loop turn go out in one write per socket. */
let outputsToFlush: SocketOutput[] = [];

function flushAll(): void {
  const outputs = outputsToFlush;
  outputsToFlush = [];
  for (const output of outputs) output.flush();
}

// One instance exists per socket, so this is a class: methods cost no memory per instance.
export class SocketOutput {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  #unsent: EncodedFrame | EncodedFrame[] | null = null;
  #isFlushDue = false;
  /** Whether the stream holds catch-up data back until the flush, so that the next live frames go out in the same write. */
  #isCorked = false;
  /** The number of catch-up bytes in the stream's buffer, which do not make the browser count as too slow. */
  #catchUpBytes = 0;
  /** Catch-up bytes sent since the browser's last confirmation. */
  #unconfirmedBytes = 0;
  #pingCount = 0;
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

  /** Sends a live frame without waiting. */
  send(frame: EncodedFrame): void {
    const unsent = this.#unsent;
    if (unsent === null) {
      this.#unsent = frame;
      this.#scheduleFlush();
    } else if (Array.isArray(unsent)) unsent.push(frame);
    else this.#unsent = [unsent, frame];
  }

  #scheduleFlush(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    if (outputsToFlush.push(this) === 1) process.nextTick(flushAll);
  }

  flush(): void {
    this.#isFlushDue = false;
    this.#writeUnsent();
    if (!this.#isCorked) return;
    this.#isCorked = false;
    this.#stream.uncork();
  }

  #writeUnsent(): void {
    const frames = this.#unsent;
    this.#unsent = null;
    if (!frames || !this.#isOpen()) return;
    const stream = this.#stream;
    if (Array.isArray(frames)) {
      stream.cork();
      for (const frame of frames) stream.write(frame);
      stream.uncork();
    } else stream.write(frames);
    if (stream.writableLength - this.#catchUpBytes > maxBufferedBytes) this.#onTooSlow();
  }

  /**
   * Sends one catch-up frame, whole or in parts. Resolves when the browser has room for the next frame.
   *
   * It waits for the browser's confirmation, because the buffers of systems and proxies hold more than a slow line carries in a
   * minute, and keep-alive pings would wait behind those bytes.
   */
  async sendCatchUp(...parts: Buffer[]): Promise<void> {
    this.#writeUnsent();
    if (!this.#isOpen()) return;
    const written = this.#write(parts);
    if (this.#unconfirmedBytes < windowBytes) return;
    this.#unconfirmedBytes = 0;
    await Promise.all([written, this.#waitForConfirmation()]);
  }

  /** Resolves when the operating system has accepted the bytes. */
  #write(parts: Buffer[]): Promise<void> {
    const bytes = parts.reduce((sum, part) => sum + part.length, 0);
    this.#catchUpBytes += bytes;
    this.#unconfirmedBytes += bytes;
    const stream = this.#stream;
    if (!this.#isCorked) stream.cork();
    this.#isCorked = true;
    this.#scheduleFlush();
    return new Promise((resolve) => {
      const handleWritten = () => {
        this.#catchUpBytes -= bytes;
        resolve();
      };
      for (const [n, part] of parts.entries()) {
        stream.write(part, n === parts.length - 1 ? handleWritten : undefined);
      }
    });
  }

  /** Resolves when the browser has received everything sent so far, or when the socket closes. */
  #waitForConfirmation(): Promise<void> {
    const socket = this.#socket;
    const pingId = String(++this.#pingCount);
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#onTooSlow(), confirmTimeoutMs);
      const finish = () => {
        clearTimeout(timer);
        socket.off('pong', onPong).off('close', finish);
        resolve();
      };
      const onPong = (data: Buffer) => {
        if (data.toString('latin1') === pingId) finish();
      };
      socket.on('pong', onPong).on('close', finish);
      socket.ping(pingId);
    });
  }

  /** Closes the socket after everything sent so far. If the browser does not respond, terminates it. */
  close(code: number, reason: string): void {
    this.flush();
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeTimeoutMs).unref();
  }

  /** Closes the socket like `close`, but discards frames that are not in flight yet. */
  abort(code: number, reason: string): void {
    this.#unsent = null;
    if (this.#stream.writableLength > windowBytes) this.#socket.terminate();
    else this.close(code, reason);
  }

  #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }
}
