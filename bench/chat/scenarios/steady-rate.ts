// Rooms of different sizes with messages at an even rate.
import { setTimeout as sleep } from 'node:timers/promises';
import { measureMemoryBytes } from '../../processes.ts';
import { Load } from '../load.ts';
import { allSystems, waitForQuietMachine, type Run, type Scenario } from '../scenario.ts';

const figures = [
  { key: 'cpuPerMessageMs', label: 'server ms per message', digits: 2 },
  { key: 'cpuPerDeliveryUs', label: 'server µs per delivery' },
  { key: 'p50Ms', label: 'delivery p50, ms' },
  { key: 'p99Ms', label: 'delivery p99, ms' },
  { key: 'deliveriesPerSecond', label: 'deliveries per second', digits: 0 },
  { key: 'connectsPerSecond', label: 'connects per second', digits: 0 },
  { key: 'kibPerConnection', label: 'KiB per connection' },
  { key: 'memoryMiB', label: 'memory, MiB', digits: 0 },
] as const;

async function measure({ system, workload, start }: Run, hasFeatures = false) {
  const { clients, rooms, rate, seconds } = workload;
  const { pid } = await start({ hasFeatures });
  const load = new Load(system, clients, rooms);
  const memoryBefore = measureMemoryBytes(pid);
  const connectsPerSecond = await load.connectAll();
  await sleep(1500);
  const kibPerConnection = (measureMemoryBytes(pid) - memoryBefore) / 1024 / clients;
  const warmUpSeconds = 2;
  await load.run(pid, rate, warmUpSeconds);
  await waitForQuietMachine();
  const { flags, ...measured } = await load.run(pid, rate, seconds);
  const memoryMiB = measureMemoryBytes(pid) / 2 ** 20;
  load.closeAll();
  return { figures: { ...measured, connectsPerSecond, kibPerConnection, memoryMiB }, flags };
}

export const largeRoom: Scenario = {
  title: 'One room of 500 clients, 20 messages per second',
  systems: allSystems,
  workload: { clients: 500, rooms: 1, rate: 20, seconds: 15, messages: 0 },
  figures,
  measure: (run) => measure(run),
};

export const manyRooms: Scenario = {
  title: '50 rooms of 20 clients, 100 messages per second in all',
  systems: allSystems,
  workload: { clients: 1000, rooms: 50, rate: 100, seconds: 10, messages: 0 },
  figures,
  measure: (run) => measure(run),
};

export const manyRoomsWithFeatures: Scenario = {
  ...manyRooms,
  title: 'The same rooms, with moderators, preferences and devices that are notified',
  systems: ['backchannel'],
  measure: (run) => measure(run, true),
};

export const hugeRoom: Scenario = {
  title: 'One room of 2,000 clients, 5 messages per second',
  systems: allSystems,
  workload: { clients: 2000, rooms: 1, rate: 5, seconds: 10, messages: 0 },
  figures,
  measure: (run) => measure(run),
};
