// The interface of the load generator that compares chat servers. It imports `driver.ts`, which uses the same
// WebSocket client as the drivers of the other servers.
import { pathToFileURL } from 'node:url';

/** Receives the data of one client. */
export interface Sink {
  /** The time of the latest chunk, set once for each chunk that is read. */
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
  /** Connects one client to one room. */
  connect(
    client: number,
    room: number,
    bytes: number,
    sink: Sink,
  ): Promise<{ send(seq: number): void; close(): void }>;
  /** A client that requests the latest 50 messages repeatedly. */
  history(client: number, room: number): Promise<{ fetch(): Promise<number[]>; close(): void }>;
  /** Appends messages to the room, numbered from `from`. */
  seed?(room: number, from: number, count: number, bytes: number): Promise<void>;
  stop(): Promise<void>;
}

interface WebSocketClient {
  connectWs(
    port: number,
    path: string,
    on: {
      chunk?(): void;
      /** A complete frame: `bytes[start, end)`. */
      frame(bytes: Buffer, start: number, end: number): void;
      closed?(): void;
    },
    headers: string,
  ): Promise<{ send(text: string): void; close(): void }>;
}

interface Payloads {
  /** The text of message `seq`: `~00000042~` followed by plain words. */
  payload(seq: number, bytes: number): string;
  /** The number whose `~` is at `at`, or -1. */
  seqAt(bytes: Uint8Array, at: number): number;
}

const load = pathToFileURL(process.argv[1] ?? '');

export const { connectWs } = (await import(new URL('lib/ws.ts', load).href)) as WebSocketClient;
export const { payload, seqAt } = (await import(new URL('lib/types.ts', load).href)) as Payloads;
