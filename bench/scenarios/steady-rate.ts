// Rooms of different sizes with messages at an even rate.
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../load.ts';
import { systemNames, type Run, type Scenario } from '../scenario.ts';
import { measureMemoryBytes, waitForQuietMachine } from '../usage.ts';

const figures = [
  { key: 'cpuPerMessageMs', label: 'server ms per message', digits: 2 },
  { key: 'cpuPerDeliveryUs', label: 'server µs per delivery' },
  { key: 'p50Ms', label: 'delivery p50, ms' },
  { key: 'p99Ms', label: 'delivery p99, ms' },
  { key: 'otherNodeP50Ms', label: 'delivery to another node p50, ms' },
  { key: 'otherNodeP99Ms', label: 'delivery to another node p99, ms' },
  { key: 'enginesMs', label: 'PostgreSQL and Redis: CPU ms per message', digits: 2 },
  { key: 'deliveriesPerSecond', label: 'deliveries per second', digits: 0 },
  { key: 'connectsPerSecond', label: 'connects per second', digits: 0 },
  { key: 'kibPerConnection', label: 'KiB per connection' },
  { key: 'memoryMiB', label: 'memory, MiB', digits: 0 },
] as const;

async function measure({ system, workload, start }: Run) {
  const { clients, rooms, rate, seconds } = workload;
  const { pids } = await start();
  const load = new Load(system, clients, rooms);
  const measureMemory = () => pids.reduce((sum, pid) => sum + measureMemoryBytes(pid), 0);
  const memoryBefore = measureMemory();
  const connectsPerSecond = await load.connectAll();
  await sleep(1500);
  const kibPerConnection = (measureMemory() - memoryBefore) / 1024 / clients;
  const warmUpSeconds = 2;
  await load.run(pids, rate, warmUpSeconds);
  await waitForQuietMachine();
  const enginesBefore = system.measureEngineMicroseconds?.() ?? 0;
  const { flags, ...measured } = await load.run(pids, rate, seconds);
  const enginesUs = (system.measureEngineMicroseconds?.() ?? 0) - enginesBefore;
  const memoryMiB = measureMemory() / 2 ** 20;
  load.closeAll();
  return {
    figures: {
      ...measured,
      ...(enginesUs > 0 && { enginesMs: enginesUs / 1000 / measured.sent }),
      connectsPerSecond,
      kibPerConnection,
      memoryMiB,
    },
    flags,
  };
}

export const largeRoom: Scenario = {
  systems: systemNames,
  workload: { clients: 500, rooms: 1, rate: 20, seconds: 15, messages: 0 },
  figures,
  measure,
};

export const manyRooms: Scenario = {
  systems: systemNames,
  workload: { clients: 1000, rooms: 50, rate: 100, seconds: 10, messages: 0 },
  figures,
  measure,
};

export const hugeRoom: Scenario = {
  systems: systemNames,
  workload: { clients: 2000, rooms: 1, rate: 5, seconds: 10, messages: 0 },
  figures,
  measure,
};
