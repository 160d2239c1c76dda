// What a fault is played on: one server, one school, its clients and what they do.
import type { Client, ClientOptions } from './client.ts';
import type { Rule } from './checks/violation.ts';
import type { History } from './history.ts';
import type { Load, LoadOptions } from './load.ts';
import type { FaultClient } from './fault-client.ts';
import type { Random } from './random.ts';
import type { Preload, TestedServer } from './server.ts';

export interface Stage {
  server: TestedServer;
  history: History;
  random: Random;
  /** Everybody of `clients` is in this class; the first half of them in `smallClassId` too. */
  classId: string;
  smallClassId: string;
  clients: Client[];
  /** By the name of the client. */
  clientOf(client: Client): FaultClient;
  /** One more socket of the client's account, that follows `classId` and is checked like the rest. */
  addClient(like: Client, name: string, options?: Partial<ClientOptions>): Client;
  /** One more account in `classId`, with a socket. */
  addMember(name: string): Promise<Client>;
  /** More of what goes on already; ended with the rest. */
  startLoad(clients: readonly Client[], options?: Partial<LoadOptions>): Load;
  observe(promise: string, held: boolean, detail: string): void;
  /** Runs when the round is over. */
  atEnd(end: () => void): void;
  /** As long as by hand, not as short as in CI. */
  full: boolean;
}

export interface Fault {
  readonly name: string;
  /** Why it cannot be played here, in a sentence; null when it can. */
  missing?(): string | null;
  /** What the server is first started with. */
  preload?(random: Random): Preload;
  /** Before anything is in the folder. @returns what takes it back */
  prepareFolder?(dataDir: string): () => void;
  /** How the clients reach the server, when not directly. @returns what ends it */
  between?(origin: string, random: Random): Promise<{ url: string; end(): void }>;
  /** Differences from the ordinary load. */
  load?: Partial<LoadOptions>;
  /** Gives a socket up that does not answer for so long. */
  timeoutMs?: number;
  /** How long clients get to become equal, when not as long as they may take. */
  equalWithinMs?: number;
  /** A fault that is planted: the round passes when the checker says that this rule is broken. */
  planted?: Rule;
  /** Breaks things and mends them, while the load goes on. */
  run(stage: Stage): Promise<void>;
}
