// What it costs a large room that members see who is typing.
import { setTimeout as sleep } from 'node:timers/promises';
import { Load } from '../load.ts';
import { waitForQuietMachine, type Run, type Scenario } from '../scenario.ts';
import { listFlags, measureCpuTimes, computeUsage } from '../usage.ts';

/** A browser reports at most once in this time that its user is typing. */
const reportEveryMs = 3000;
const maxTypists = 100;

export const typing: Scenario = {
  title: '100 typists in a room of 2,000',
  systems: ['backchannel'],
  workload: { clients: 2000, rooms: 1, rate: 0, seconds: 10, messages: 0 },
  figures: [
    { key: 'idlePercent', label: 'server % of a core, idle', digits: 2 },
    { key: 'typingPercent', label: 'server % of a core, typing', digits: 2 },
    { key: 'reportsPerSecond', label: 'reports per second', digits: 0 },
    { key: 'noticesPerSecond', label: 'typing frames per second, all clients', digits: 0 },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { clients, rooms, seconds } = workload;
  const { pid } = await start();
  const load = new Load(system, clients, rooms);
  await load.connectAll();
  await waitForQuietMachine();
  const idle = await measureUsageDuring(pid, () => sleep(seconds * 1000));
  const framesBefore = load.typingFrameCount;
  let reports = 0;
  const typingUsage = await measureUsageDuring(pid, async () => {
    const endsAt = performance.now() + seconds * 1000;
    const typists = load.clients.slice(0, maxTypists);
    await Promise.all(
      typists.map(async (typist, n) => {
        await sleep((n * reportEveryMs) / typists.length);
        while (performance.now() < endsAt) {
          typist.type?.();
          reports += 1;
          await sleep(Math.min(reportEveryMs, Math.max(1, endsAt - performance.now())));
        }
      }),
    );
  });
  const frames = load.typingFrameCount - framesBefore;
  load.closeAll();
  return {
    figures: {
      idlePercent: idle.serverCores * 100,
      typingPercent: typingUsage.serverCores * 100,
      reportsPerSecond: reports / typingUsage.seconds,
      noticesPerSecond: frames / typingUsage.seconds,
    },
    flags: [...new Set([...listFlags(idle), ...listFlags(typingUsage)])],
  };
}

async function measureUsageDuring(pid: number, act: () => Promise<unknown>) {
  const timesBefore = measureCpuTimes(pid);
  await act();
  return computeUsage(timesBefore, measureCpuTimes(pid));
}
