// What all benchmarks have in common: a scenario puts one kind of load on one server.
import type { ChatSystem, StartOptions } from './chat-system.ts';
import type { ServerProcess } from './server-process.ts';

/** Backchannel on SQLite, the servers to compare it with, and Backchannel on PostgreSQL: alone, and as nodes with Redis. */
export const systemNames = [
  'backchannel',
  'socketio-sqlite',
  'ws-bare',
  'postgres',
  '1-node',
  '2-nodes',
  '4-nodes',
] as const;
export type SystemName = (typeof systemNames)[number];

/** The systems for scenarios that need an account, a browser or a class of Backchannel. */
export const ourSystems: readonly SystemName[] = systemNames.filter(
  (name) => name !== 'socketio-sqlite' && name !== 'ws-bare',
);

/** Each value can be set with an option of the same name. */
export interface Workload {
  clients: number;
  rooms: number;
  /** Messages per second in all rooms together. */
  rate: number;
  /** How long each measurement lasts. */
  seconds: number;
  /** Messages that a room has, or that each client missed. */
  messages: number;
}

export interface Figure {
  key: string;
  label: string;
  digits?: number;
  /** The figure must stay below this value. */
  aim?: number;
}

export interface Measurement {
  figures: Record<string, number>;
  /** What may have disturbed the figures. */
  flags: string[];
}

export interface Run {
  system: ChatSystem;
  workload: Workload;
  start(options?: Omit<StartOptions, 'dataDir' | 'clients' | 'rooms'>): Promise<ServerProcess>;
}

export interface Scenario {
  /** The servers that can have this load. */
  systems: readonly SystemName[];
  workload: Workload;
  figures: readonly Figure[];
  measure(run: Run): Promise<Measurement>;
}
