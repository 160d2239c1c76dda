// Carries messages between nodes by Redis's publish/subscribe. Every message may be lost: the database is the truth.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Log } from '#server/base/log.ts';

export interface Bus {
  /** Sends to the nodes that listen; does nothing while Redis is gone. */
  publish(channel: string, message: Buffer): void;
  /** Resolves when messages arrive; while Redis is gone, at once. Reconnecting subscribes again. */
  subscribe(channel: string, listener: (message: Buffer) => void): Promise<void>;
  unsubscribe(channel: string): void;
  isConnected(): boolean;
  /** Calls the listener after each connection. Messages may have been lost before. */
  onConnected(listener: () => void): void;
  stop(): Promise<void>;
}

const connectTimeoutMs = 2_000;
const pingIntervalMs = 1_000;
/** Redis may be suspended or cut off without a word. */
const silenceMs = 3_000;
const retryDelayMs = 500;
/** Above it, messages are dropped: Redis is too slow. */
const maxQueuedCommands = 10_000;

type Client = ReturnType<typeof openClient>;
interface Connection {
  publisher: Client;
  subscriber: Client;
  /** Resolves when the connection is lost. */
  lost: Promise<void>;
  destroy(): void;
}

/** Connects in the background, again and again. */
export function createRedisBus(url: string, log: Log): Bus {
  const listeners = new Map<string, (message: Buffer) => void>();
  const onConnected: (() => void)[] = [];
  const stopping = new AbortController();
  let current: Connection | null = null;
  let hasWarned = false;

  const receive = (message: Buffer, channel: Buffer) =>
    listeners.get(channel.toString())?.(message);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await holdConnection();
      } catch (error) {
        if (!hasWarned && !stopping.signal.aborted) log.warn('bus.lost', { error });
        hasWarned = true;
      }
      current = null;
      await sleep(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  /** @throws when the connection is lost */
  async function holdConnection(): Promise<void> {
    const connection = await connect(url);
    try {
      const channels = [...listeners.keys()];
      if (channels.length > 0) await connection.subscriber.subscribe(channels, receive, true);
      if (stopping.signal.aborted) return;
      current = connection;
      // Channels of listeners that came while the others were subscribed.
      const late = [...listeners.keys()].filter((channel) => !channels.includes(channel));
      if (late.length > 0) await connection.subscriber.subscribe(late, receive, true);
      if (hasWarned) log.info('bus.connected');
      hasWarned = false;
      for (const listener of onConnected) listener();
      await connection.lost;
    } finally {
      connection.destroy();
    }
  }

  const running = run();

  return {
    publish(channel, message) {
      current?.publisher.publish(channel, message).catch(() => {});
    },
    async subscribe(channel, listener) {
      listeners.set(channel, listener);
      await current?.subscriber.subscribe(channel, receive, true).catch(() => {});
    },
    unsubscribe(channel) {
      listeners.delete(channel);
      current?.subscriber.unsubscribe(channel, receive, true).catch(() => {});
    },
    isConnected: () => current !== null,
    onConnected: (listener) => void onConnected.push(listener),
    async stop() {
      stopping.abort();
      current?.destroy();
      await running;
    },
  };
}

function openClient(url: string) {
  return createClient({
    url,
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxQueuedCommands,
    pingInterval: pingIntervalMs,
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
  });
}

async function connect(url: string): Promise<Connection> {
  const clients = [openClient(url), openClient(url)] as const;
  const [publisher, subscriber] = clients;
  const { promise: lost, reject } = Promise.withResolvers<void>();
  lost.catch(() => {});
  const lastAnswers = new Map<Client, number>();
  for (const client of clients) {
    lastAnswers.set(client, performance.now());
    client.on('error', reject);
    client.on('end', () => reject(new Error('Redis closed the connection.')));
    client.on('ping-interval', () => lastAnswers.set(client, performance.now()));
  }
  const timer = setInterval(() => {
    const silentSince = Math.min(...lastAnswers.values());
    if (performance.now() - silentSince > silenceMs) reject(new Error('Redis does not answer.'));
  }, pingIntervalMs);
  const destroy = () => {
    clearInterval(timer);
    for (const client of clients) if (client.isOpen) client.destroy();
    reject(new Error('The connection was closed.'));
  };
  try {
    await Promise.race([Promise.all(clients.map((client) => client.connect())), lost]);
    return { publisher, subscriber, lost, destroy };
  } catch (error) {
    destroy();
    throw error;
  }
}
