// What the load generator needs from a chat server. `systems/` has an implementation for each server.
import type { School } from './school.ts';
import type { ServerProcess } from './server-process.ts';

/** Receives what the clients receive. */
export interface Receiver {
  /** When the current chunk of data was read. */
  now: number;
  message(client: number, number: number): void;
  closed(client: number): void;
}

/** A connected client that has joined its room. */
export interface ChatClient {
  post(number: number): void;
  close(): void;
}

export interface StartOptions {
  /** An empty folder for everything that the server writes. */
  dataDir: string;
  /** Client n is a member of room n modulo the number of rooms. */
  clients: number;
  rooms: number;
  /** The rooms of each client, if they are others. */
  isMember?(client: number, room: number): boolean;
  /** Messages that each room already has, by all its members in turn. */
  storedMessages?: number;
  /** Measures the delays of the server's event loop. */
  isMonitored?: boolean;
  /** Whether the server also serves the web app, which must be built. */
  withWeb?: boolean;
  /** Whether the server limits its clients, as it does by default. */
  isLimited?: boolean;
}

export interface ConnectOptions {
  /** A result of `loadPosition`: the client has everything before it and gets what the client missed. */
  position?: string;
  /** Called when the connection is open, before the client has what it missed. */
  opened?(): void;
}

export interface ChatSystem {
  start(options: StartOptions): Promise<ServerProcess>;
  /** Resolves when the client has joined the room and has everything that it missed. */
  connect(
    client: number,
    room: number,
    receiver: Receiver,
    options?: ConnectOptions,
  ): Promise<ChatClient>;

  // Only some of the servers have the rest.

  /** The current end of the room's log. */
  loadPosition?(room: number): Promise<string>;
  /** The accounts and classes, once the server has started. */
  school?: School;
  /** The node that a client uses. */
  toNodeIndex?(client: number): number;
  /** CPU time in microseconds that the databases of the server have used. */
  measureEngineMicroseconds?(): number;
}
