// The latest 50 messages of a large room: as a snapshot, and as pages of history over HTTP.
import type { PageReader } from '../chat-system.ts';
import { Histogram } from '../../percentiles.ts';
import { Load } from '../load.ts';
import { waitForQuietMachine, type Run, type Scenario } from '../scenario.ts';
import { listFlags, measureCpuTimes, computeUsage } from '../usage.ts';

const readers = 8;
const pageSize = 50;
/** Posting more messages than this takes hours, so their rows are inserted. */
const maxPosted = 1_000_000;

export const history: Scenario = {
  title: 'Reads of 50 messages in a room of 100,000, by 8 clients without pause',
  systems: ['backchannel', 'socketio-sqlite'],
  workload: { clients: readers, rooms: 1, rate: 0, seconds: 5, messages: 100_000 },
  figures: [
    { key: 'storedPerSecond', label: 'messages stored per second, 1 client', digits: 0 },
    { key: 'snapshotsPerSecond', label: 'snapshots per second', digits: 0 },
    { key: 'snapshotUs', label: 'server µs per snapshot', digits: 0 },
    { key: 'snapshotP99Ms', label: 'snapshot p99, ms' },
    { key: 'newestPagesPerSecond', label: 'newest pages per second', digits: 0 },
    { key: 'newestPageUs', label: 'server µs per newest page', digits: 0 },
    { key: 'randomPagesPerSecond', label: 'random pages per second', digits: 0 },
    { key: 'randomPageUs', label: 'server µs per random page', digits: 0 },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { messages, seconds } = workload;
  const { pid } = await start();
  const load = new Load(system, 1, 1);
  await load.connectAll();
  const postedCount = messages > maxPosted && system.fillRoom ? 500 : messages;
  const { stored, perSecond } = await load.fill(postedCount);
  load.closeAll();
  const inserted = messages - postedCount;
  if (inserted > 0) await system.fillRoom?.(0, load.nextNumber, inserted);
  const newest = stored + inserted - 1;

  const figures: Record<string, number> = { storedPerSecond: perSecond };
  const flags = new Set<string>(stored < postedCount ? ['not filled'] : []);
  const kinds = {
    snapshot: (client: number) => system.openSnapshotReader?.(client, 0),
    newestPage: (client: number) => system.openPageReader?.(client, 0, 'newest'),
    randomPage: (client: number) => system.openPageReader?.(client, 0, 'random'),
  };
  for (const [kind, open] of Object.entries(kinds)) {
    const pageReaders: PageReader[] = [];
    for (let client = 0; client < readers; client++) {
      const reader = await open(client);
      if (reader) pageReaders.push(reader);
    }
    if (pageReaders.length === 0) continue;
    await waitForQuietMachine();
    const read = await requestWithoutPause(pid, pageReaders, seconds, (numbers) => {
      const isNewest = kind === 'randomPage' || Math.max(...numbers) === newest;
      return numbers.length === pageSize && isNewest;
    });
    figures[`${kind}sPerSecond`] = read.perSecond;
    figures[`${kind}Us`] = read.serverUs;
    figures[`${kind}P99Ms`] = read.p99Ms;
    for (const flag of read.flags) flags.add(flag);
    for (const reader of pageReaders) reader.close();
  }
  return { figures, flags: [...flags] };
}

async function requestWithoutPause(
  pid: number,
  pageReaders: readonly PageReader[],
  seconds: number,
  isRight: (numbers: number[]) => boolean,
) {
  const latency = new Histogram();
  let wrongPages = 0;
  const timesBefore = measureCpuTimes(pid);
  const endsAt = performance.now() + seconds * 1000;
  await Promise.all(
    pageReaders.map(async (reader) => {
      while (performance.now() < endsAt) {
        const requestedAt = performance.now();
        const numbers = await reader.read();
        latency.add(performance.now() - requestedAt);
        if (!isRight(numbers)) wrongPages += 1;
      }
    }),
  );
  const usage = computeUsage(timesBefore, measureCpuTimes(pid));
  return {
    perSecond: latency.count / usage.seconds,
    serverUs: (usage.serverMs * 1000) / latency.count,
    p99Ms: latency.computePercentile(0.99),
    flags: [...listFlags(usage), ...(wrongPages > 0 ? ['wrong pages'] : [])],
  };
}
