// The check of `npm run doctor` of the Redis server that connects several nodes.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from '@redis/client';
import type { Config } from '#server/config/config-types.ts';
import { type Finding, createSuccess, createProblem, createWarning } from './finding.ts';

const timeoutMs = 3_000;

/** Sends a message through Redis, as the nodes do. */
export async function checkRedis({ redisUrl, images }: Config): Promise<Finding[]> {
  if (redisUrl === null) return [];
  const { hostname, host, password } = new URL(redisUrl);
  const publisher = openClient(redisUrl);
  const subscriber = openClient(redisUrl);
  const clients = [publisher, subscriber];
  const failure = Promise.withResolvers<string>();
  for (const client of clients) {
    client.on('error', (error: Error) => failure.resolve(error.message));
  }
  const findings: Finding[] = [];
  try {
    const reason = await Promise.race([
      sendThrough(publisher, subscriber).catch((error: unknown) => String(error)),
      failure.promise,
      sleep(timeoutMs, 'no answer within 3 seconds', { ref: false }),
    ]);
    findings.push(
      reason === null
        ? createSuccess(`${host} carries messages.`)
        : createProblem(`${host} does not carry messages (${reason}): check REDIS_URL.`),
    );
  } finally {
    for (const client of clients) if (client.isOpen) client.destroy();
  }
  if (!password && !/^(127\.|localhost$|\[::1\]$)/.test(hostname)) {
    findings.push(
      createWarning(
        `REDIS_URL has no password: whoever reaches ${host} can delay messages between nodes.`,
      ),
    );
  }
  if (images.kind === 'disk') {
    findings.push(
      createWarning(
        `Pictures are in ${images.dir}: mount one folder there on all nodes, or use S3.`,
      ),
    );
  }
  return findings;
}

const openClient = (url: string) => createClient({ url, socket: { reconnectStrategy: false } });
type Client = ReturnType<typeof openClient>;

/** Resolves with null when the message arrived. */
async function sendThrough(publisher: Client, subscriber: Client): Promise<null> {
  await Promise.all([publisher.connect(), subscriber.connect()]);
  const channel = `backchannel:doctor-${randomUUID()}`;
  const arrival = Promise.withResolvers<null>();
  await subscriber.subscribe(channel, () => arrival.resolve(null));
  await publisher.publish(channel, 'test');
  return arrival.promise;
}
