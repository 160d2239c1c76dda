// Clients that were offline come back together, as after a network failure. Meanwhile someone writes in another room.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatClient, ChatSystem, Receiver } from '../chat-system.ts';
import { Histogram } from '../histogram.ts';
import { Load } from '../load.ts';
import type { Run, Scenario } from '../scenario.ts';
import { computeUsage, listFlags, measureCpuTimes, waitForQuietMachine } from '../usage.ts';

/** Connections that are being opened concurrently. More would overflow the server's listen queue. */
const maxOpening = 256;
/** Messages that the room has before the clients go offline. */
const earlierMessages = 50;
/** The time between two messages of the writer in the other room. */
const writePauseMs = 20;

export const comeBack: Scenario = {
  systems: ['backchannel', 'socketio-sqlite'],
  workload: { clients: 2000, rooms: 2, rate: 0, seconds: 0, messages: 200 },
  figures: [
    { key: 'levelSeconds', label: 'seconds until all have caught up', digits: 2 },
    { key: 'p50Ms', label: 'until a client has caught up, p50, ms', digits: 0 },
    { key: 'cpuPerClientMs', label: 'server ms per client', digits: 2 },
    {
      key: 'ackP99Ms',
      label: 'until a writer in another room has the message, p99, ms',
      digits: 0,
    },
    { key: 'longestStallMs', label: 'longest event-loop stall, ms', digits: 0 },
  ],
  measure,
};

async function measure({ system, workload, start }: Run) {
  const { clients, messages } = workload;
  const server = await start({ isMonitored: true, isMember: () => true });
  const load = new Load(system, 1, 1);
  await load.connectAll();
  await load.fill(earlierMessages);
  const position = await system.loadPosition!(0);
  const firstMissed = load.nextNumber;
  await load.fill(messages);
  load.closeAll();
  await waitForQuietMachine();

  const missedCounts = new Uint16Array(clients);
  let disconnected = 0;
  const receiver: Receiver = {
    now: 0,
    message(client, number) {
      if (number >= firstMissed) missedCounts[client] = missedCounts[client]! + 1;
    },
    closed: () => (disconnected += 1),
  };
  const stopWriter = await startWriter(system, load.nextNumber);
  server.resetDelays();
  await sleep(100);
  const timesBefore = measureCpuTimes(server.pids);
  const latency = new Histogram();
  const returnedClients: ChatClient[] = [];
  const catchUps: Promise<unknown>[] = [];
  let nextClient = 0;
  const openInTurn = async () => {
    for (let client = nextClient++; client < clients; client = nextClient++) {
      const startedAt = performance.now();
      const opening = Promise.withResolvers<void>();
      const options = { position, opened: opening.resolve };
      const catchUp = system.connect(client, 0, receiver, options).then((connected) => {
        latency.add(performance.now() - startedAt);
        returnedClients.push(connected);
      });
      catchUps.push(catchUp);
      await Promise.race([opening.promise, catchUp]);
    }
  };
  await Promise.all(Array.from({ length: maxOpening }, openInTurn));
  await Promise.all(catchUps);
  const usage = computeUsage(timesBefore, measureCpuTimes(server.pids));
  const { longestMs: longestStallMs } = await server.measureDelays();
  const writerResult = await stopWriter();
  for (const client of returnedClients) client.close();
  const isComplete = missedCounts.every((count) => count === messages);
  return {
    figures: {
      levelSeconds: usage.seconds,
      p50Ms: latency.computePercentile(0.5),
      cpuPerClientMs: usage.serverMs / clients,
      ackP99Ms: writerResult.latency.computePercentile(0.99),
      longestStallMs,
    },
    flags: [
      ...listFlags(usage),
      ...(isComplete && writerResult.isComplete ? [] : ['lost']),
      ...(disconnected > 0 ? ['disconnected'] : []),
    ],
  };
}

/**
 * Writes at an even rate, however long each message takes.
 *
 * @param firstNumber the number of the first message
 * @returns a function that stops the writer and waits for all messages
 */
async function startWriter(
  system: ChatSystem,
  firstNumber: number,
): Promise<() => Promise<{ latency: Histogram; isComplete: boolean }>> {
  const latency = new Histogram();
  const sentAt: number[] = [];
  const receiver: Receiver = {
    now: 0,
    message: (_, number) => latency.add(receiver.now - sentAt[number - firstNumber]!),
    closed: () => {},
  };
  const client = await system.connect(0, 1, receiver);
  const timer = setInterval(() => {
    client.post(firstNumber - 1 + sentAt.push(performance.now()));
  }, writePauseMs);
  return async () => {
    clearInterval(timer);
    for (let waits = 0; latency.count < sentAt.length && waits < 500; waits++) await sleep(10);
    client.close();
    return { latency, isComplete: latency.count === sentAt.length };
  };
}
