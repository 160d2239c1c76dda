// Connects to the other nodes on the same database, or creates what a single server has instead.
import type { ServerCore } from '#server/accounts/server-core.ts';
import type { Hub } from '#server/live/hub.ts';
import { createLocalHub } from '#server/live/hub.ts';
import { encodeReplay } from '#server/live/frames.ts';
import { alwaysHeldLease, type BackgroundLease } from '#server/store/background-lease.ts';
import type { Database } from '#server/store/tables.ts';
import { ClassFeed } from './class-feed.ts';
import type { joinNodes } from './join-nodes.ts';
import { createOrderedHub } from './ordered-hub.ts';
import { createLogReader } from './read-log.ts';

export type Nodes = ReturnType<typeof joinNodes>;

/** @param commitDb the database of the lease */
export async function openNodes(
  cleanup: AsyncDisposableStack,
  server: Pick<ServerCore, 'config' | 'db' | 'keys' | 'epoch' | 'log' | 'metrics'>,
  commitDb: Database,
): Promise<{ nodes: Nodes | null; lease: BackgroundLease; hub: Hub }> {
  const { redisUrl } = server.config;
  // Imports the client of Redis only if there are several nodes.
  const nodes = redisUrl
    ? (await import('./join-nodes.ts')).joinNodes(server, redisUrl, commitDb)
    : null;
  const lease = nodes?.lease ?? alwaysHeldLease;
  cleanup.defer(() => lease.stop());
  cleanup.defer(() => nodes?.stop());
  const hub = nodes?.hub ?? createSoleHub(server);
  cleanup.defer(() => hub.stop());
  return { nodes, lease, hub };
}

/** Creates the hub of a single server. It needs the feed, too, because commands append to the log. */
function createSoleHub({ db, log, metrics }: Pick<ServerCore, 'db' | 'log' | 'metrics'>): Hub {
  const local = createLocalHub(metrics);
  const feed = new ClassFeed({
    ...createLogReader(db),
    log,
    encode: encodeReplay,
    publish: local.deliver,
    hasNodes: false,
  });
  return createOrderedHub(local, feed);
}
