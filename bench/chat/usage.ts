// CPU time of the server, the generator and the rest of the machine during a measurement.
import { measureCpuMicroseconds, measureMachineMicroseconds } from '../processes.ts';

/** The generator is the bottleneck above this share of a core, or if it is late while it is this busy. */
const generatorLimit = { cores: 0.9, coresWhenLate: 0.6, lateMs: 50 };
/** A measurement is disturbed if other programs use more of a core than this, or a hypervisor withholds it. */
const disturbance = { cores: 0.3, stolenCores: 0.2 };

/** All values are in microseconds of CPU time, except `measuredAt`. */
interface CpuTimes {
  measuredAt: number;
  server: number;
  generator: number;
  busy: number;
  stolen: number;
}

/** @param pids the server's process, or those of its nodes */
export function measureCpuTimes(pids: number | readonly number[]): CpuTimes {
  const { user, system } = process.cpuUsage();
  const generator = user + system;
  return {
    measuredAt: performance.now(),
    server: [pids].flat().reduce((sum, pid) => sum + measureCpuMicroseconds(pid), 0),
    generator,
    ...measureMachineMicroseconds(),
  };
}

export interface Usage {
  seconds: number;
  serverMs: number;
  serverCores: number;
  generatorCores: number;
  otherCores: number;
  stolenCores: number;
}

export function computeUsage(timesBefore: CpuTimes, timesAfter: CpuTimes): Usage {
  const wallUs = (timesAfter.measuredAt - timesBefore.measuredAt) * 1000;
  const server = timesAfter.server - timesBefore.server;
  const generator = timesAfter.generator - timesBefore.generator;
  return {
    seconds: wallUs / 1e6,
    serverMs: server / 1000,
    serverCores: server / wallUs,
    generatorCores: generator / wallUs,
    otherCores: Math.max(0, timesAfter.busy - timesBefore.busy - server - generator) / wallUs,
    stolenCores: (timesAfter.stolen - timesBefore.stolen) / wallUs,
  };
}

/**
 * Says whether something other than the server limited or changed the figures.
 *
 * @param latenessMs how far the generator was behind its schedule (p99)
 */
export function listFlags(usage: Usage, latenessMs = 0): string[] {
  const isLate = latenessMs > generatorLimit.lateMs;
  const isBusy =
    usage.generatorCores > generatorLimit.cores ||
    (isLate && usage.generatorCores > generatorLimit.coresWhenLate);
  const isDisturbed =
    usage.otherCores > disturbance.cores ||
    usage.stolenCores > disturbance.stolenCores ||
    (isLate && !isBusy);
  return [...(isBusy ? ['generator-bound'] : []), ...(isDisturbed ? ['disturbed'] : [])];
}
