// What the load generator needs from a chat server. `systems/` has an implementation for each server.
import type { ServerProcess } from '../server-process.ts';

/** Receives what the clients receive. */
export interface Receiver {
  /** When the current chunk of data was read. */
  now: number;
  message(client: number, number: number): void;
  typing(): void;
  closed(client: number): void;
}

/** A connected client that has joined its room. */
export interface ChatClient {
  post(number: number): void;
  /** Reacts to a recent message of the room. */
  react?(): void;
  /** Marks everything that the client received as read. */
  markRead?(): void;
  /** Reports that the client's user is typing. */
  type?(): void;
  close(): void;
}

/** A client that requests the same kind of page repeatedly. */
export interface PageReader {
  /** The message numbers of the page. */
  read(): Promise<number[]>;
  close(): void;
}

export interface StartOptions {
  /** An empty folder for everything that the server writes. */
  dataDir: string;
  /** Client n is a member of room n modulo the number of rooms. */
  clients: number;
  rooms: number;
  /** Each client is a member of every room. */
  isInEveryRoom?: boolean;
  /** Each room has a moderator, and members with preferences and with devices that are notified. */
  hasFeatures?: boolean;
  /** Messages that each room already has, by all its members in turn. */
  storedMessages?: number;
  nodeOptions: readonly string[];
  /** Opens an IPC channel to the server. */
  withChannel: boolean;
}

export interface ConnectOptions {
  /** A result of `loadPosition`: the client has everything before it and gets what the client missed. */
  position?: string;
  /** Called when the connection is open, before the client has what it missed. */
  opened?(): void;
}

export interface ChatSystem {
  readonly name: string;
  readonly version: string;
  /** What the server stores of a message, and when. */
  readonly stores: string;
  start(options: StartOptions): Promise<ServerProcess>;
  /** Resolves when the client has joined the room and has everything that it missed. */
  connect(
    client: number,
    room: number,
    receiver: Receiver,
    options?: ConnectOptions,
  ): Promise<ChatClient>;

  // Only some of the servers offer the rest.

  /** The current end of the room's log. */
  loadPosition?(room: number): Promise<string>;
  /** The reader gets what a client gets when it opens the room: the latest 50 messages. */
  openSnapshotReader?(client: number, room: number): Promise<PageReader>;
  /** The reader requests pages of 50 messages over HTTP: the newest page, or each time another one. */
  openPageReader?(client: number, room: number, page: 'newest' | 'random'): PageReader;
  /** Appends messages to the room's store, for rooms that are too large to be filled by posting. */
  fillRoom?(room: number, from: number, count: number): Promise<void>;
  /** Connects and subscribes to every room on one socket. @returns the number of bytes received */
  openEveryRoom?(client: number, isLight: boolean): Promise<number>;
  /** Requests the list of the client's rooms. @returns the number of bytes of the response body */
  listRooms?(client: number): Promise<number>;
}
