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
  let sent = 0;
  let senders = new Int32Array(0);
  let sentAt = new Float64Array(0);
  /** How often each member of the room received each message. */
  let deliveries = new Uint8Array(0);
  let received = 0;
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
      if (index < 0 || index >= sent) return;
      const at = index * maxRoomSize + Math.floor(client / roomCount);
      const before = deliveries[at]!;
      deliveries[at] = before + 1;
      if (before > 0) {
        duplicated += 1;
        return;
      }
      received += 1;
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
    first += sent;
    [sent, received, duplicated, disconnected] = [0, 0, 0, 0];
    senders = new Int32Array(messages);
    sentAt = new Float64Array(messages);
    deliveries = new Uint8Array(messages * maxRoomSize);
    [latency, otherNodeLatency] = [new Histogram(), new Histogram()];
  }

  function post(client: number): void {
    const index = sent++;
    senders[index] = client;
    sentAt[index] = performance.now();
    clients[client]!.post(first + index);
  }

  const load: Load = {
    clients,
    onDelivery: () => {},
    typingNotices: () => typingNotices,
    nextNumber: () => first + sent,

    async connectAll() {
      const started = performance.now();
      let next = 0;
      const connectInTurn = async () => {
        for (let n = next++; n < clientCount; n = next++) {
          clients[n] = await system.connect(n, toRoom(n), receiver);
        }
      };
      await Promise.all(Array.from({ length: maxConnecting }, connectInTurn));
      return clientCount / ((performance.now() - started) / 1000);
    },

    async run(pids, rate, seconds, drainMs = 30_000) {
      const total = Math.round(rate * seconds);
      begin(total);
      let expected = 0;
      const lateness = new Histogram();
      const before = measureClocks(pids);
      const started = performance.now();
      const dueAt = (n: number) => started + (n * 1000) / rate;
      while (sent < total) {
        while (sent < total && dueAt(sent) <= performance.now()) {
          lateness.add(performance.now() - dueAt(sent));
          const client = Math.floor(Math.random() * clientCount);
          expected += countRoomClients(toRoom(client));
          post(client);
        }
        if (sent < total) await sleep(Math.max(1, dueAt(sent) - performance.now()));
      }
      // The last message also has its share of the time, so that short runs are not overloaded.
      await sleep(Math.max(0, dueAt(total) - performance.now()));
      const drainUntil = performance.now() + drainMs;
      while (received < expected && performance.now() < drainUntil && disconnected === 0) {
        await sleep(10);
      }
      const used = toUsageSince(before, measureClocks(pids));
      const endedAt = Math.max(lastAt, dueAt(total));
      // Duplicates would arrive late.
      await sleep(50);
      const lost = expected - received;
      return {
        rate,
        sent,
        lost,
        duplicated,
        disconnected,
        deliveriesPerSecond: received / ((endedAt - started) / 1000),
        p50Ms: latency.computePercentile(0.5),
        p99Ms: latency.computePercentile(0.99),
        otherNodeP50Ms: otherNodeLatency.computePercentile(0.5),
        otherNodeP99Ms: otherNodeLatency.computePercentile(0.99),
        maxMs: Math.max(latency.max, otherNodeLatency.max),
        cpuPerMessageMs: used.serverMs / sent,
        cpuPerDeliveryUs: (used.serverMs * 1000) / Math.max(1, received),
        serverCores: used.serverCores,
        generatorCores: used.generatorCores,
        flags: [
          ...listFlags(used, lateness.computePercentile(0.99)),
          ...(lost > 0 ? ['lost'] : []),
          ...(duplicated > 0 ? ['duplicated'] : []),
          ...(disconnected > 0 ? ['disconnected'] : []),
        ],
      };
    },

    async fill(messages) {
      begin(messages);
      const started = performance.now();
      const mayPost = () => sent < messages && performance.now() - started < maxFillSeconds * 1000;
      while (mayPost() || received < sent) {
        if (disconnected > 0) throw new Error('The server closed a connection.');
        while (mayPost() && sent - received < maxInFlight) post(0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      const seconds = (performance.now() - started) / 1000;
      return { stored: received, perSecond: received / seconds };
    },

    closeAll() {
      for (const client of clients) client?.close();
      clients.length = 0;
    },
  };
  return load;
}
