// The environment of a fault: one server, one school, its clients and their load.
import type { TestClient } from '#tests/support/test-client.ts';
import type { SyncClient, SyncClientOptions } from './sync-client.ts';
import type { Rule } from './checks/violation.ts';
import type { History } from './history.ts';
import type { Load, LoadOptions } from './load.ts';
import type { Random } from '#tests/support/random.ts';
import type { Preload, TestedServer } from './server.ts';

export interface Stage {
  server: TestedServer;
  history: History;
  random: Random;
  /** All of `clients` are in this class. The first half are also in `smallClassId`. */
  classId: string;
  smallClassId: string;
  clients: SyncClient[];
  /** Opens another socket of the account. It follows `classId` and is checked like the others. */
  addClient(account: TestClient, name: string, options?: Partial<SyncClientOptions>): SyncClient;
  /** Adds an account to `classId`, with a socket. */
  addMember(name: string): Promise<SyncClient>;
  /** Adds load, which ends with the rest. */
  startLoad(clients: readonly SyncClient[], options?: Partial<LoadOptions>): Load;
  observe(expectation: string, isMet: boolean, detail: string): void;
  /** Runs after the round. */
  onCleanup(end: () => void): void;
  /** True for the durations of manual runs, false for those of CI. */
  full: boolean;
}

export interface Fault {
  readonly name: string;
  /** Why this system cannot play the fault, as a sentence; null if it can. */
  missing?(): string | null;
  /** The server's first environment. */
  preload?(random: Random): Preload;
  /** Runs while the folder is still empty. @returns a function that undoes it */
  prepareFolder?(dataDir: string): () => void;
  /** How clients reach the server, if not directly. @returns a function that ends it */
  between?(origin: string, random: Random): Promise<{ url: string; end(): void }>;
  /** Differences from the standard load. */
  load?: Partial<LoadOptions>;
  /** A socket that does not answer for this long is closed. */
  timeoutMs?: number;
  /** How long clients may take to become equal, if not the default. */
  equalWithinMs?: number;
  /** The rule that a planted fault breaks: the round passes if the checker reports it. */
  planted?: Rule;
  /** Causes and repairs the fault while the load continues. */
  run(stage: Stage): Promise<void>;
}
