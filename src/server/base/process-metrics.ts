// Process basics on /metrics. prom-client's own default metrics are exact at each moment, which is too much: the CPU
// time of one password check, and the file handle of one socket, tell when someone signs in.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { createNoisyGauge } from './noisy-gauge.ts';

export interface ProcessMetrics {
  renew(): void;
  stop(): void;
}

const resolutionMs = 20;
const cpuStepSeconds = 10;
const memoryStepBytes = 32 * 1024 * 1024;

export function createProcessMetrics(registry: Registry): ProcessMetrics {
  const registers = [registry];
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  // Not the maximum: one expensive call is enough for it. The 99th percentile of a minute needs 0.6 seconds of delays.
  const percentiles = [50, 99].map((percentile) => ({
    percentile,
    gauge: new Gauge({
      name: `backchannel_event_loop_delay_p${percentile}_seconds`,
      help: `Delay of the event loop in the last minute, ${percentile}th percentile, rounded up.`,
      registers,
    }),
  }));
  const memory = [
    { key: 'rss', name: 'process_resident_memory_bytes', help: 'Resident memory' },
    { key: 'heapUsed', name: 'nodejs_heap_size_used_bytes', help: 'Used heap of JavaScript' },
  ] as const;
  const memoryGauges = memory.map(({ key, name, help }) => ({
    key,
    gauge: new Gauge({ name, help: `${help}, in steps of 32 MiB.`, registers }),
    coarse: createNoisyGauge(memoryStepBytes, process.memoryUsage()[key]),
  }));
  const cpu = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'CPU time of the server without its child processes, in steps of 10 seconds.',
    registers,
  });
  const coarseCpu = createNoisyGauge(cpuStepSeconds);
  let servedCpu = 0;
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the server started, in seconds since 1970.',
    registers,
  }).set(Math.round(performance.timeOrigin / 1000));

  return {
    renew() {
      for (const { percentile, gauge } of percentiles) {
        gauge.set(roundUp(delay.percentile(percentile) / 1e6 - resolutionMs) / 1000);
      }
      delay.reset();
      const usage = process.memoryUsage();
      for (const { key, gauge, coarse } of memoryGauges) gauge.set(coarse.renew(usage[key]));
      const { user, system } = process.cpuUsage();
      // Linux adjusts its two figures, so their sum can fall a little.
      const seconds = Math.max(servedCpu, coarseCpu.renew((user + system) / 1e6));
      cpu.inc(seconds - servedCpu);
      servedCpu = seconds;
    },
    stop: () => void delay.disable(),
  };
}

/** Rounds up to 10, 20, 50, 100, … 50,000 milliseconds. */
export function roundUp(milliseconds: number): number {
  const values = [10, 100, 1000, 10_000].flatMap((unit) => [unit, 2 * unit, 5 * unit]);
  return values.find((value) => milliseconds <= value) ?? 50_000;
}
