// The first week of term: at the pace of 20,000 students in an hour, students sign in, join classes and open them, while others
// chat.
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestClient } from '#tests/support/test-client.ts';
import { Histogram } from '../histogram.ts';
import { Load } from '../load.ts';
import { ourSystems, type Run, type Scenario } from '../scenario.ts';
import { computeUsage, listFlags, measureCpuTimes } from '../usage.ts';

const arrivalsPerSecond = 20_000 / 3600;
const classesOfEach = 5;
/** They are in the first class already, and chat there. */
const chattingClients = 20;
const steps = ['sign in', 'connect', 'join a class', 'open a class'] as const;

export const firstWeek: Scenario = {
  systems: ourSystems,
  workload: { clients: 5000, rooms: 100, rate: 5, seconds: 120, messages: 20 },
  figures: [
    ...steps.flatMap((step) => [
      { key: `${step} p50`, label: `${step}, p50, ms` },
      { key: `${step} p99`, label: `${step}, p99, ms` },
    ]),
    { key: 'chatP50', label: 'delivery to others p50, ms' },
    { key: 'chatP99', label: 'delivery to others p99, ms' },
    { key: 'serverCores', label: 'server cores', digits: 2 },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { clients, rooms, rate, seconds, messages } = workload;
  const { pids, origin } = await start({
    storedMessages: messages,
    isMember: (client, room) =>
      client < chattingClients ? room === 0 : client < clients / 2 && client % rooms === room,
  });
  const { emails, classIds } = system.school!;
  const times = new Map(steps.map((step) => [step, new Histogram()]));
  async function measureStep<Result>(
    step: (typeof steps)[number],
    act: () => Promise<Result>,
  ): Promise<Result> {
    const startedAt = performance.now();
    const result = await act();
    times.get(step)!.add(performance.now() - startedAt);
    return result;
  }
  async function arrive(client: number): Promise<void> {
    const student = createTestClient(origin, emails[client]!);
    await measureStep('sign in', () => student.signIn());
    const socket = await measureStep('connect', () => student.connect());
    for (let n = 0; n < classesOfEach; n++) {
      const classId = classIds[(client * 7 + n * 61) % rooms]!;
      await measureStep('join a class', () => student.join(classId));
      await measureStep('open a class', () => socket.subscribe(classId));
    }
  }

  const load = new Load(system, chattingClients, 1);
  await load.connectAll();
  const timesBefore = measureCpuTimes(pids);
  const chatting = load.run(pids, rate, seconds);
  const startedAt = performance.now();
  const arrivals: Promise<void>[] = [];
  for (let n = 0; n < seconds * arrivalsPerSecond; n++) {
    await sleep(Math.max(0, startedAt + (n * 1000) / arrivalsPerSecond - performance.now()));
    arrivals.push(arrive(Math.ceil(clients / 2) + n));
  }
  await Promise.all(arrivals);
  const { p50Ms, p99Ms } = await chatting;
  const usage = computeUsage(timesBefore, measureCpuTimes(pids));
  const figures: Record<string, number> = {
    chatP50: p50Ms,
    chatP99: p99Ms,
    serverCores: usage.serverCores,
  };
  for (const [step, histogram] of times) {
    figures[`${step} p50`] = histogram.computePercentile(0.5);
    figures[`${step} p99`] = histogram.computePercentile(0.99);
  }
  return { figures, flags: listFlags(usage) };
}
