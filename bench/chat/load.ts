// The load generator: clients in rooms, messages at an even rate, and exact accounts of every delivery.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatClient, ChatSystem, Receiver } from './chat-system.ts';
import { Histogram } from '../percentiles.ts';
import { listFlags, measureClocks, toUsageSince } from './usage.ts';

export interface LoadFigures {
  /** Messages per second. */
  rate: number;
  sent: number;
  lost: number;
  duplicated: number;
  disconnected: number;
  deliveriesPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** The latency of deliveries to clients of another node than the sender's; 0 without nodes. */
  otherNodeP50Ms: number;
  otherNodeP99Ms: number;
  maxMs: number;
  cpuPerMessageMs: number;
  cpuPerDeliveryUs: number;
  serverCores: number;
  generatorCores: number;
  flags: string[];
}

export interface Load {
  readonly clients: readonly ChatClient[];
  /** Typing notices that all clients received. */
  typingNotices(): number;
  /** Connects all clients. @returns connections per second */
  connectAll(): Promise<number>;
  /**
   * Sends messages at an even rate, each from a random client, and waits for their deliveries.
   *
   * @param drainMs what has not arrived this long after the last message is lost
   */
  run(
    pids: number | readonly number[],
    rate: number,
    seconds: number,
    drainMs?: number,
  ): Promise<LoadFigures>;
  /** The first client posts as fast as the server delivers, up to a time limit. */
  fill(messages: number): Promise<{ stored: number; perSecond: number }>;
  /** Called with each client after each of its deliveries. */
  onDelivery: (client: number) => void;
  /** The number of the next message. */
  nextNumber(): number;
  closeAll(): void;
}

const maxConnecting = 32;
/** Undelivered messages while a room is filled. */
const maxInFlight = 200;
const maxFillSeconds = 90;

/** @param toNodeIndex the node that a client is connected to, if there are several */
export function createLoad(
  system: ChatSystem,
  clientCount: number,
  roomCount: number,
  toNodeIndex: (client: number) => number = () => 0,
): Load {
  const toRoom = (client: number) => client % roomCount;
  const countRoomClients = (room: number) => Math.ceil((clientCount - room) / roomCount);
  const maxRoomSize = countRoomClients(0);
  const clients: ChatClient[] = [];

  /** The number of this run's first message. */
  let first = 0;
  let sentCount = 0;
  let senders = new Int32Array(0);
  let sentAt = new Float64Array(0);
  /** How often each member of the room received each message. */
  let deliveries = new Uint8Array(0);
  let receivedCount = 0;
  let duplicated = 0;
  let disconnected = 0;
  let typingNotices = 0;
  let lastAt = 0;
  let latency = new Histogram();
  let otherNodeLatency = new Histogram();

  const receiver: Receiver = {
    now: 0,
    message(client, number) {
      const index = number - first;
      // A message of an earlier run.
      if (index < 0 || index >= sentCount) return;
      const slot = index * maxRoomSize + Math.floor(client / roomCount);
      const earlierDeliveries = deliveries[slot]!;
      deliveries[slot] = earlierDeliveries + 1;
      if (earlierDeliveries > 0) {
        duplicated += 1;
        return;
      }
      receivedCount += 1;
      lastAt = receiver.now;
      const sender = senders[index]!;
      if (sender !== client) {
        const histogram = toNodeIndex(sender) === toNodeIndex(client) ? latency : otherNodeLatency;
        histogram.add(receiver.now - sentAt[index]!);
      }
      load.onDelivery(client);
    },
    typing: () => (typingNotices += 1),
    closed: () => (disconnected += 1),
  };

  function begin(messages: number): void {
    first += sentCount;
    sentCount = 0;
    receivedCount = 0;
    duplicated = 0;
    disconnected = 0;
    senders = new Int32Array(messages);
    sentAt = new Float64Array(messages);
    deliveries = new Uint8Array(messages * maxRoomSize);
    latency = new Histogram();
    otherNodeLatency = new Histogram();
  }

  function post(client: number): void {
    const index = sentCount++;
    senders[index] = client;
    sentAt[index] = performance.now();
    clients[client]!.post(first + index);
  }

  const load: Load = {
    clients,
    onDelivery: () => {},
    typingNotices: () => typingNotices,
    nextNumber: () => first + sentCount,

    async connectAll() {
      const startedAt = performance.now();
      let next = 0;
      const connectInTurn = async () => {
        for (let n = next++; n < clientCount; n = next++) {
          clients[n] = await system.connect(n, toRoom(n), receiver);
        }
      };
      await Promise.all(Array.from({ length: maxConnecting }, connectInTurn));
      return clientCount / ((performance.now() - startedAt) / 1000);
    },

    async run(pids, rate, seconds, drainMs = 30_000) {
      const total = Math.round(rate * seconds);
      begin(total);
      let expected = 0;
      const lateness = new Histogram();
      const clocksBefore = measureClocks(pids);
      const startedAt = performance.now();
      const getDueAt = (n: number) => startedAt + (n * 1000) / rate;
      while (sentCount < total) {
        while (sentCount < total && getDueAt(sentCount) <= performance.now()) {
          lateness.add(performance.now() - getDueAt(sentCount));
          const client = Math.floor(Math.random() * clientCount);
          expected += countRoomClients(toRoom(client));
          post(client);
        }
        if (sentCount < total) await sleep(Math.max(1, getDueAt(sentCount) - performance.now()));
      }
      // The last message also has its share of the time, so that short runs are not overloaded.
      await sleep(Math.max(0, getDueAt(total) - performance.now()));
      const drainUntil = performance.now() + drainMs;
      while (receivedCount < expected && performance.now() < drainUntil && disconnected === 0) {
        await sleep(10);
      }
      const usage = toUsageSince(clocksBefore, measureClocks(pids));
      const endedAt = Math.max(lastAt, getDueAt(total));
      // Duplicates would arrive late.
      await sleep(50);
      const lostCount = expected - receivedCount;
      return {
        rate,
        sent: sentCount,
        lost: lostCount,
        duplicated,
        disconnected,
        deliveriesPerSecond: receivedCount / ((endedAt - startedAt) / 1000),
        p50Ms: latency.computePercentile(0.5),
        p99Ms: latency.computePercentile(0.99),
        otherNodeP50Ms: otherNodeLatency.computePercentile(0.5),
        otherNodeP99Ms: otherNodeLatency.computePercentile(0.99),
        maxMs: Math.max(latency.max, otherNodeLatency.max),
        cpuPerMessageMs: usage.serverMs / sentCount,
        cpuPerDeliveryUs: (usage.serverMs * 1000) / Math.max(1, receivedCount),
        serverCores: usage.serverCores,
        generatorCores: usage.generatorCores,
        flags: [
          ...listFlags(usage, lateness.computePercentile(0.99)),
          ...(lostCount > 0 ? ['lost'] : []),
          ...(duplicated > 0 ? ['duplicated'] : []),
          ...(disconnected > 0 ? ['disconnected'] : []),
        ],
      };
    },

    async fill(messages) {
      begin(messages);
      const startedAt = performance.now();
      const mayPost = () =>
        sentCount < messages && performance.now() - startedAt < maxFillSeconds * 1000;
      while (mayPost() || receivedCount < sentCount) {
        if (disconnected > 0) throw new Error('The server closed a connection.');
        while (mayPost() && sentCount - receivedCount < maxInFlight) post(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const seconds = (performance.now() - startedAt) / 1000;
      return { stored: receivedCount, perSecond: receivedCount / seconds };
    },

    closeAll() {
      for (const client of clients) client?.close();
      clients.length = 0;
    },
  };
  return load;
}
