// Carries messages between nodes by Redis's publish/subscribe. A message may be lost, because nodes rely only on the database.
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Log } from '#server/base/log.ts';

export interface Bus {
  /** Sends a message to the nodes that subscribe to the channel. Does nothing while Redis is not reachable. */
  publish(channel: string, message: Buffer): void;
  /** Resolves when messages can arrive, or immediately while Redis is not reachable. Each new connection subscribes again. */
  subscribe(channel: string, listener: (message: Buffer) => void): Promise<void>;
  unsubscribe(channel: string): void;
  isConnected(): boolean;
  /** Calls the listener after each connection. Messages may have been lost before. */
  onConnected(listener: () => void): void;
  stop(): Promise<void>;
}

const connectTimeoutMs = 2_000;
const pingIntervalMs = 1_000;
/** A connection without answers for this time counts as lost, because Redis may be suspended or cut off without an error. */
const silenceMs = 3_000;
const retryDelayMs = 500;
/** If Redis is so slow that more commands wait, messages are dropped. */
const maxQueuedCommands = 10_000;

type Client = ReturnType<typeof openClient>;

/** Connects in the background, and reconnects after each loss. */
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
      const nextClient = openClient(url);
      client = nextClient;
      const connectionLoss = rejectWhenLost(nextClient);
      try {
        await Promise.race([connect(nextClient), connectionLoss]);
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
      nextClient.destroy();
      await sleep(retryDelayMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  async function connect(nextClient: Client): Promise<void> {
    await nextClient.connect();
    await nextClient.subscribe([...listeners.keys()], receive, true);
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
