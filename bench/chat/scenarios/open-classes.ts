// A fresh browser of an account with many classes: the list of classes, and a subscription to each of them. The browser
// subscribes lightly to all but the class on screen.
import { Histogram } from '../../percentiles.ts';
import { waitForQuietMachine, type Run, type Scenario } from '../scenario.ts';
import { listFlags, measureCpuTimes, computeUsage } from '../usage.ts';

const listCalls = 200;
/** How often each account opens all of its classes. */
const timesEach = 4;

export const openClasses: Scenario = {
  title: 'A fresh browser opens all 64 classes of its account, each with 50 messages',
  systems: ['backchannel'],
  workload: { clients: 16, rooms: 64, rate: 0, seconds: 0, messages: 50 },
  figures: [
    { key: 'firstMs', label: 'server ms, first browser', digits: 0 },
    { key: 'openMs', label: 'server ms per further browser' },
    { key: 'openP50Ms', label: 'until all classes have caught up, p50, ms' },
    { key: 'openKib', label: 'KiB received per browser', digits: 0 },
    { key: 'lightMs', label: 'server ms per browser, lightly' },
    { key: 'lightP50Ms', label: 'until all counts are there, p50, ms' },
    { key: 'lightKib', label: 'KiB received per browser, lightly' },
    { key: 'listMs', label: 'server ms per GET /api/classes', digits: 2 },
    { key: 'listP50Ms', label: 'GET /api/classes p50, ms' },
    { key: 'listKib', label: 'KiB per GET /api/classes' },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { clients, messages } = workload;
  const { pid } = await start({ isInEveryRoom: true, storedMessages: messages });
  await waitForQuietMachine();
  // The server has no room in its cache yet.
  const firstBrowser = await repeat(pid, 1, () => system.openEveryRoom!(0, false));
  const furtherBrowsers = await repeat(pid, clients * timesEach, (n) => {
    return system.openEveryRoom!(n % clients, false);
  });
  const lightBrowsers = await repeat(pid, clients * timesEach, (n) => {
    return system.openEveryRoom!(n % clients, true);
  });
  const listRequests = await repeat(pid, listCalls, (n) => system.listRooms!(n % clients));
  return {
    figures: {
      firstMs: firstBrowser.serverMs,
      openMs: furtherBrowsers.serverMs,
      openP50Ms: furtherBrowsers.p50Ms,
      openKib: furtherBrowsers.bytes / 1024,
      lightMs: lightBrowsers.serverMs,
      lightP50Ms: lightBrowsers.p50Ms,
      lightKib: lightBrowsers.bytes / 1024,
      listMs: listRequests.serverMs,
      listP50Ms: listRequests.p50Ms,
      listKib: listRequests.bytes / 1024,
    },
    flags: [...new Set([...furtherBrowsers.flags, ...lightBrowsers.flags, ...listRequests.flags])],
  };
}

/** Runs the action one after the other. @returns the means of CPU time and bytes */
async function repeat(pid: number, times: number, act: (n: number) => Promise<number>) {
  const latency = new Histogram();
  let bytes = 0;
  const timesBefore = measureCpuTimes(pid);
  for (let n = 0; n < times; n++) {
    const startedAt = performance.now();
    bytes += await act(n);
    latency.add(performance.now() - startedAt);
  }
  const usage = computeUsage(timesBefore, measureCpuTimes(pid));
  return {
    serverMs: usage.serverMs / times,
    bytes: bytes / times,
    p50Ms: latency.computePercentile(0.5),
    flags: listFlags(usage),
  };
}
