// CPU time and memory from Linux's /proc: of a server with its child processes, of the load generator, and of the machine.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const microsecondsPerTick = 10_000; // USER_HZ of Linux is 100.
/** The generator is the bottleneck above this share of a core, or if it is late while it is this busy. */
const generatorLimit = { cores: 0.9, coresWhenLate: 0.6, lateMs: 50 };
/** A measurement is disturbed if other programs use more of a core than this, or a hypervisor withholds it. */
const disturbance = { cores: 0.3, stolenCores: 0.2 };
const calmCores = 0.25;
const maxWaitSeconds = 5;

/** CPU time used so far by the process and its descendants. */
export function measureCpuMicroseconds(pid: number): number {
  return sum(listProcessTree(pid).map(measureOneProcess));
}

/** Memory of the process and its descendants. Shared pages count once. */
export function measureMemoryBytes(pid: number): number {
  const pattern = /^Pss:\s+(\d+)/m;
  return sum(
    listProcessTree(pid).map(
      (descendant) =>
        Number(pattern.exec(loadProcFile(descendant, 'smaps_rollup'))?.[1] ?? 0) * 1024,
    ),
  );
}

/** All values are in microseconds of CPU time, except `measuredAt`. */
interface CpuTimes {
  measuredAt: number;
  server: number;
  generator: number;
  busy: number;
  /** What a hypervisor has withheld. */
  stolen: number;
}

/** @param pids the processes of the server */
export function measureCpuTimes(pids: readonly number[]): CpuTimes {
  const { user, system } = process.cpuUsage();
  return {
    measuredAt: performance.now(),
    server: sum(pids.map(measureCpuMicroseconds)),
    generator: user + system,
    ...measureMachine(),
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

/** Waits until other programs leave the machine alone for two seconds, up to a limit. */
export async function waitForQuietMachine(): Promise<void> {
  let calmSeconds = 0;
  for (let n = 0; n < maxWaitSeconds && calmSeconds < 2; n++) {
    const timesBefore = measureMachine();
    await sleep(1000);
    const timesNow = measureMachine();
    const usedUs = timesNow.busy + timesNow.stolen - timesBefore.busy - timesBefore.stolen;
    calmSeconds = usedUs < calmCores * 1e6 ? calmSeconds + 1 : 0;
  }
}

function measureMachine(): { busy: number; stolen: number } {
  const [first = ''] = readFileSync('/proc/stat', 'latin1').split('\n', 1);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, stolen = 0] = first
    .trim()
    .split(/\s+/)
    .slice(1)
    .map((ticks) => Number(ticks) * microsecondsPerTick);
  return { busy: user + nice + system + irq + softIrq, stolen };
}

/** The process and its descendants. */
function listProcessTree(pid: number): number[] {
  const children = loadProcFile(pid, `task/${pid}/children`).split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => listProcessTree(Number(child)))];
}

function measureOneProcess(pid: number): number {
  const text = loadProcFile(pid, 'stat');
  // The process name before the last parenthesis may contain spaces. Then come user, system, and those of ended children.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return sum(fields.slice(11, 15).map(Number)) * microsecondsPerTick;
}

/** @returns an empty text if the process has ended */
function loadProcFile(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
