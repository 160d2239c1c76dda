// A scenario runs one server under one kind of load.
import { setTimeout as sleep } from 'node:timers/promises';
import { measureMachineMicroseconds } from '../processes.ts';
import type { ServerProcess } from '../server-process.ts';
import type { ChatSystem, StartOptions } from './chat-system.ts';

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
}

export interface Measurement {
  figures: Record<string, number>;
  /** What may have disturbed the figures. */
  flags: string[];
}

export interface Run {
  system: ChatSystem;
  workload: Workload;
  start(
    options?: Pick<StartOptions, 'isInEveryRoom' | 'hasFeatures' | 'storedMessages'> & {
      withMonitor?: boolean;
    },
  ): Promise<ServerProcess>;
}

export const allSystems = ['backchannel', 'socketio-sqlite', 'ws-bare', 'bun-bare'] as const;
export type SystemName = (typeof allSystems)[number];

export interface Scenario {
  title: string;
  systems: readonly SystemName[];
  workload: Workload;
  figures: readonly Figure[];
  measure(run: Run): Promise<Measurement>;
}

const calmCores = 0.25;
const maxWaitSeconds = 5;

/** Waits until other programs leave the machine alone for two seconds, up to a limit. */
export async function waitForQuietMachine(): Promise<void> {
  let calmSeconds = 0;
  for (let n = 0; n < maxWaitSeconds && calmSeconds < 2; n++) {
    const ticksBefore = measureMachineMicroseconds();
    await sleep(1000);
    const ticksNow = measureMachineMicroseconds();
    const usedUs = ticksNow.busy + ticksNow.stolen - ticksBefore.busy - ticksBefore.stolen;
    calmSeconds = usedUs < calmCores * 1e6 ? calmSeconds + 1 : 0;
  }
}
