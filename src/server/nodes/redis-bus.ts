// Carries messages between nodes by Redis's publish/subscribe. Every message may be lost: the database is the truth.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Log } from '#server/base/log.ts';

export interface Bus {
  /** Sends to the nodes that listen; does nothing while Redis is gone. */
  publish(channel: string, message: Buffer): void;
  /** Resolves when messages arrive; immediately while Redis is gone. Reconnecting subscribes again. */
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

/** Connects in the background, again and again. */
export function createRedisBus(url: string, log: Log): Bus {
  const listeners = new Map<string, (message: Buffer) => void>();
  const onConnected: (() => void)[] = [];
  const stopping = new AbortController();
  let client: Client | null = null;
  let isConnected = false;
  let hasWarned = false;

  const receive = (message: Buffer, channel: Buffer) =>
    listeners.get(channel.toString())?.(message);

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const next = openClient(url);
      client = next;
      const connectionLoss = rejectWhenLost(next);
      try {
        await Promise.race([connect(next), connectionLoss]);
        isConnected = true;
        if (hasWarned) log.info('bus.connected');
        hasWarned = false;
        for (const listener of onConnected) listener();
        await connectionLoss;
      } catch (error) {
        if (!hasWarned && !stopping.signal.aborted) log.warn('bus.lost', { error });
        hasWarned = true;
      }
      isConnected = false;
      next.destroy();
      await sleep(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function connect(next: Client): Promise<void> {
    await next.connect();
    await next.subscribe([...listeners.keys()], receive, true);
  }

  const connectionLoop = run();

  return {
    publish(channel, message) {
      client?.publish(channel, message).catch(() => {});
    },
    async subscribe(channel, listener) {
      listeners.set(channel, listener);
      if (client?.isReady) await client.subscribe(channel, receive, true).catch(() => {});
    },
    unsubscribe(channel) {
      listeners.delete(channel);
      if (client?.isReady) client.unsubscribe(channel, receive, true).catch(() => {});
    },
    isConnected: () => isConnected,
    onConnected: (listener) => void onConnected.push(listener),
    async stop() {
      stopping.abort();
      client?.destroy();
      await connectionLoop;
    },
  };
}

/**
 * Opens the connection that both publishes and receives. The library would reconnect too, but it would also subscribe again
 * to channels that were left while Redis was gone.
 */
function openClient(url: string) {
  return createClient({
    url,
    RESP: 3,
    disableOfflineQueue: true,
    commandsQueueMaxLength: maxQueuedCommands,
    pingInterval: pingIntervalMs,
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: false },
  });
}

/** The library's `socketTimeout` does not notice silence while the node publishes, because it counts both directions. */
function rejectWhenLost(client: Client): Promise<never> {
  return new Promise((_, reject) => {
    const silence = setTimeout(() => reject(new Error('Redis does not answer.')), silenceMs);
    client.on('ping-interval', () => silence.refresh());
    client.on('error', reject);
    client.on('end', () => {
      clearTimeout(silence);
      reject(new Error('Redis closed the connection.'));
    });
  });
}
