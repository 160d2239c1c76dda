// A WebSocket client of which one process can run thousands: all sockets share one read buffer, a message creates
// no objects, and the client offers no compression.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';

export interface WebSocketHandlers {
  /** Called before the frames of each chunk that is read. */
  chunk?(): void;
  /**
   * Called with a complete text or binary frame, which is in `bytes` from `start` to before `end`. The next chunk overwrites the
   * frame.
   */
  frame(bytes: Buffer, start: number, end: number): void;
  /** The server closed the connection. */
  closed?(): void;
}

const opcodes = { text: 1, binary: 2, ping: 9 };
const sharedBuffer = Buffer.allocUnsafe(256 * 1024);

/** Resolves after the handshake. */
export async function connectWebSocket(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  handlers: WebSocketHandlers,
): Promise<WebSocketClient> {
  const client = new WebSocketClient(port, handlers);
  await client.shakeHands(path, headers);
  return client;
}

export class WebSocketClient {
  readonly #port: number;
  readonly #handlers: WebSocketHandlers;
  readonly #socket: Socket;
  readonly #handshake = Promise.withResolvers<void>();
  /** The beginning of a frame, or of the reply to the handshake, whose end has not arrived. */
  #rest: Buffer | null = null;
  #isOpen = false;
  #isClosing = false;

  constructor(port: number, handlers: WebSocketHandlers) {
    this.#port = port;
    this.#handlers = handlers;
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: {
        buffer: sharedBuffer,
        callback: (length) => {
          this.#receive(sharedBuffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.once('error', this.#handshake.reject);
    this.#socket.once('close', () => {
      if (!this.#isClosing) handlers.closed?.();
      this.#handshake.reject(new Error('The server closed the connection.'));
    });
  }

  shakeHands(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: localhost:${this.#port}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ];
    this.#socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    return this.#handshake.promise;
  }

  send(text: string): void {
    this.#socket.write(encodeTextFrame(text));
  }

  close(): void {
    this.#isClosing = true;
    this.#socket.destroy();
  }

  #receive(chunk: Buffer): void {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = null;
    if (this.#isOpen) {
      this.#handlers.chunk?.();
      this.#parseFrames(bytes);
    } else {
      this.#parseHandshake(bytes);
    }
  }

  #parseHandshake(bytes: Buffer): void {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) {
      this.#rest = Buffer.from(bytes);
      return;
    }
    const head = bytes.toString('latin1', 0, end);
    if (!head.startsWith('HTTP/1.1 101')) {
      this.#handshake.reject(new Error(head));
      this.#socket.destroy();
      return;
    }
    this.#isOpen = true;
    this.#handshake.resolve();
    this.#parseFrames(bytes.subarray(end + 4));
  }

  #parseFrames(bytes: Buffer): void {
    let position = 0;
    while (bytes.length - position >= 2) {
      let length = bytes[position + 1]! & 127;
      let start = position + 2;
      if (length === 126 && bytes.length - position >= 4) {
        length = bytes.readUInt16BE(position + 2);
        start = position + 4;
      } else if (length === 127 && bytes.length - position >= 10) {
        length = bytes.readUInt32BE(position + 6);
        start = position + 10;
      } else if (length > 125) break;
      if (bytes.length < start + length) break;
      const opcode = bytes[position]! & 15;
      if (opcode === opcodes.text || opcode === opcodes.binary) {
        this.#handlers.frame(bytes, start, start + length);
      } else if (opcode === opcodes.ping) {
        this.#socket.write(encodePong(bytes.subarray(start, start + length)));
      }
      position = start + length;
    }
    if (position < bytes.length) this.#rest = Buffer.from(bytes.subarray(position));
  }
}

function encodePong(payload: Buffer): Buffer {
  // A mask of zeros leaves the payload as it is.
  return Buffer.concat([Buffer.from([0x8a, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function encodeTextFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 6 : 8;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = 0x81;
  frame[1] = 0x80 | Math.min(length, 126);
  if (length >= 126) frame.writeUInt16BE(length, 2);
  const mask = Math.floor(Math.random() * 2 ** 32);
  frame.writeUInt32BE(mask, head - 4);
  frame.write(text, head);
  for (let i = 0; i < length; i++) {
    frame[head + i] = frame[head + i]! ^ frame[head - 4 + (i & 3)]!;
  }
  return frame;
}
