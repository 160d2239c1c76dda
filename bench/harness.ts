// The load generator that measures chat servers side by side: it imports `driver.ts` from here, and
// lends it the client that every other server is measured with.
import { pathToFileURL } from 'node:url';

/** Where a client says what it received. */
export interface Sink {
  /** Set once for each chunk that is read. */
  now: number;
  got(client: number, seq: number): void;
  closed(client: number): void;
}

export interface Driver {
  name: string;
  version(): string;
  persists: string;
  durability: string;
  start(options: { dir: string; prefix: string[] }): Promise<{ pid: number; port: number }>;
  /** One client in one room. */
  connect(
    client: number,
    room: number,
    bytes: number,
    sink: Sink,
  ): Promise<{ send(seq: number): void; close(): void }>;
  /** One client that asks for the latest 50 messages, again and again. */
  history(client: number, room: number): Promise<{ fetch(): Promise<number[]>; close(): void }>;
  /** Puts messages numbered from `from` behind the newest of the room. */
  seed?(room: number, from: number, count: number, bytes: number): Promise<void>;
  stop(): Promise<void>;
}

interface WebSocketClient {
  connectWs(
    port: number,
    path: string,
    on: {
      chunk?(): void;
      /** A whole frame: `bytes[start, end)`. */
      frame(bytes: Buffer, start: number, end: number): void;
      closed?(): void;
    },
    headers: string,
  ): Promise<{ send(text: string): void; close(): void }>;
}

interface Payloads {
  /** The text of message `seq`: `~00000042~` and then plain words. */
  payload(seq: number, bytes: number): string;
  /** The number whose `~` is at `at`, or -1. */
  seqAt(bytes: Uint8Array, at: number): number;
}

const load = pathToFileURL(process.argv[1] ?? '');

export const { connectWs } = (await import(new URL('lib/ws.ts', load).href)) as WebSocketClient;
export const { payload, seqAt } = (await import(new URL('lib/types.ts', load).href)) as Payloads;
