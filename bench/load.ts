// The load generator: clients in rooms, messages at an even rate, and an exact count of every delivery.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatClient, ChatSystem, Receiver } from './chat-system.ts';
import { Histogram } from './histogram.ts';
import { listFlags, measureCpuTimes, computeUsage, type Usage } from './usage.ts';

export type LoadFigures = Awaited<ReturnType<Load['run']>>;

const maxConnecting = 32;
/** Undelivered messages while a room is filled. */
const maxInFlight = 200;
const maxFillSeconds = 90;

export class Load {
  readonly clients: ChatClient[] = [];
  readonly #system: ChatSystem;
  readonly #clientCount: number;
  readonly #roomCount: number;
  readonly #maxRoomSize: number;
  readonly #receiver: Receiver = {
    now: 0,
    message: (client, number) => this.#receive(client, number),
    closed: () => (this.#disconnectedCount += 1),
  };
  #lastDeliveryAt = 0;

  // The current run.
  #firstNumber = 0;
  #sentCount = 0;
  #receivedCount = 0;
  #duplicatedCount = 0;
  #disconnectedCount = 0;
  #senders = new Int32Array(0);
  #sentAt = new Float64Array(0);
  /** How often each member of the room received each message. */
  #deliveries = new Uint8Array(0);
  #latency = new Histogram();
  #otherNodeLatency = new Histogram();

  constructor(system: ChatSystem, clientCount: number, roomCount: number) {
    this.#system = system;
    this.#clientCount = clientCount;
    this.#roomCount = roomCount;
    this.#maxRoomSize = this.#countRoomClients(0);
  }

  /** The number of the next message. */
  get nextNumber(): number {
    return this.#firstNumber + this.#sentCount;
  }

  /** Connects all clients. @returns connections per second */
  async connectAll(): Promise<number> {
    const startedAt = performance.now();
    let nextClient = 0;
    const connectInTurn = async () => {
      for (let n = nextClient++; n < this.#clientCount; n = nextClient++) {
        this.clients[n] = await this.#system.connect(n, this.#toRoom(n), this.#receiver);
      }
    };
    await Promise.all(Array.from({ length: maxConnecting }, connectInTurn));
    return this.#clientCount / ((performance.now() - startedAt) / 1000);
  }

  /**
   * Sends messages at an even rate, each from a random client, and waits for their deliveries.
   *
   * @param drainMs messages that have not arrived this long after the last one was sent count as lost
   */
  async run(pids: readonly number[], rate: number, seconds: number, drainMs = 30_000) {
    const total = Math.round(rate * seconds);
    this.#begin(total);
    const timesBefore = measureCpuTimes(pids);
    const startedAt = performance.now();
    const { expectedCount, lateness } = await this.#postEvenly(total, rate, startedAt);
    await this.#waitForDeliveries(expectedCount, drainMs);
    const usage = computeUsage(timesBefore, measureCpuTimes(pids));
    const endedAt = Math.max(this.#lastDeliveryAt, startedAt + (total * 1000) / rate);
    // Duplicates would arrive late.
    await sleep(50);
    return {
      rate,
      ...this.#toFigures(expectedCount, endedAt - startedAt, usage),
      flags: [
        ...listFlags(usage, lateness.computePercentile(0.99)),
        ...(this.#receivedCount < expectedCount ? ['lost'] : []),
        ...(this.#duplicatedCount > 0 ? ['duplicated'] : []),
        ...(this.#disconnectedCount > 0 ? ['disconnected'] : []),
      ],
    };
  }

  /** The first client posts as fast as the server delivers, up to a time limit. */
  async fill(messages: number): Promise<{ stored: number; perSecond: number }> {
    this.#begin(messages);
    const startedAt = performance.now();
    const mayPost = () =>
      this.#sentCount < messages && performance.now() - startedAt < maxFillSeconds * 1000;
    while (mayPost() || this.#receivedCount < this.#sentCount) {
      if (this.#disconnectedCount > 0) throw new Error('The server closed a connection.');
      while (mayPost() && this.#sentCount - this.#receivedCount < maxInFlight) this.#post(0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    return { stored: this.#receivedCount, perSecond: this.#receivedCount / seconds };
  }

  closeAll(): void {
    for (const client of this.clients) client?.close();
    this.clients.length = 0;
  }

  #begin(messages: number): void {
    this.#firstNumber += this.#sentCount;
    this.#sentCount = 0;
    this.#receivedCount = 0;
    this.#duplicatedCount = 0;
    this.#disconnectedCount = 0;
    this.#senders = new Int32Array(messages);
    this.#sentAt = new Float64Array(messages);
    this.#deliveries = new Uint8Array(messages * this.#maxRoomSize);
    this.#latency = new Histogram();
    this.#otherNodeLatency = new Histogram();
  }

  /** @returns the number of deliveries to expect, and how much later than planned the messages were sent */
  async #postEvenly(total: number, rate: number, startedAt: number) {
    const getDueAt = (n: number) => startedAt + (n * 1000) / rate;
    const lateness = new Histogram();
    let expectedCount = 0;
    while (this.#sentCount < total) {
      while (this.#sentCount < total && getDueAt(this.#sentCount) <= performance.now()) {
        lateness.add(performance.now() - getDueAt(this.#sentCount));
        const client = Math.floor(Math.random() * this.#clientCount);
        expectedCount += this.#countRoomClients(this.#toRoom(client));
        this.#post(client);
      }
      if (this.#sentCount < total) {
        await sleep(Math.max(1, getDueAt(this.#sentCount) - performance.now()));
      }
    }
    // The last message also has its share of the time, so that short runs are not overloaded.
    await sleep(Math.max(0, getDueAt(total) - performance.now()));
    return { expectedCount, lateness };
  }

  #post(client: number): void {
    const index = this.#sentCount++;
    this.#senders[index] = client;
    this.#sentAt[index] = performance.now();
    this.clients[client]!.post(this.#firstNumber + index);
  }

  #receive(client: number, number: number): void {
    const index = number - this.#firstNumber;
    // A message of an earlier run.
    if (index < 0 || index >= this.#sentCount) return;
    const slot = index * this.#maxRoomSize + Math.floor(client / this.#roomCount);
    const earlierDeliveries = this.#deliveries[slot]!;
    this.#deliveries[slot] = earlierDeliveries + 1;
    if (earlierDeliveries > 0) {
      this.#duplicatedCount += 1;
      return;
    }
    this.#receivedCount += 1;
    this.#lastDeliveryAt = this.#receiver.now;
    const sender = this.#senders[index]!;
    if (sender !== client) {
      const isSameNode = this.#system.toNodeIndex?.(sender) === this.#system.toNodeIndex?.(client);
      const histogram = isSameNode ? this.#latency : this.#otherNodeLatency;
      histogram.add(this.#receiver.now - this.#sentAt[index]!);
    }
  }

  async #waitForDeliveries(expectedCount: number, drainMs: number): Promise<void> {
    const drainUntil = performance.now() + drainMs;
    while (
      this.#receivedCount < expectedCount &&
      performance.now() < drainUntil &&
      this.#disconnectedCount === 0
    ) {
      await sleep(10);
    }
  }

  #toFigures(expectedCount: number, durationMs: number, usage: Usage) {
    const latency = this.#latency;
    const otherNodeLatency = this.#otherNodeLatency;
    return {
      sent: this.#sentCount,
      lost: expectedCount - this.#receivedCount,
      duplicated: this.#duplicatedCount,
      disconnected: this.#disconnectedCount,
      deliveriesPerSecond: this.#receivedCount / (durationMs / 1000),
      p50Ms: latency.computePercentile(0.5),
      p99Ms: latency.computePercentile(0.99),
      // Of deliveries to clients of another node than the sender's, if there are several.
      ...(otherNodeLatency.count > 0 && {
        otherNodeP50Ms: otherNodeLatency.computePercentile(0.5),
        otherNodeP99Ms: otherNodeLatency.computePercentile(0.99),
      }),
      cpuPerMessageMs: usage.serverMs / this.#sentCount,
      cpuPerDeliveryUs: (usage.serverMs * 1000) / Math.max(1, this.#receivedCount),
      serverCores: usage.serverCores,
      generatorCores: usage.generatorCores,
    };
  }

  #toRoom(client: number): number {
    return client % this.#roomCount;
  }

  #countRoomClients(room: number): number {
    return Math.ceil((this.#clientCount - room) / this.#roomCount);
  }
}
