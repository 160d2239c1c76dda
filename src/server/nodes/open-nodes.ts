// Connects to the other nodes on the same database, or creates what a single server has instead.
import type { Hub } from '#server/live/hub.ts';
import { createLocalHub } from '#server/live/hub.ts';
import { encodeReplay } from '#server/live/frames.ts';
import { alwaysHeldLease, type BackgroundLease } from '#server/store/background-lease.ts';
import { ClassFeed } from './class-feed.ts';
import type { joinNodes, NodeDependencies } from './join-nodes.ts';
import { createOrderedHub } from './ordered-hub.ts';
import { createLogReader } from './read-log.ts';

export type Nodes = ReturnType<typeof joinNodes>;

/** @param redisUrl null for a single server */
export async function openNodes(
  cleanup: AsyncDisposableStack,
  redisUrl: string | null,
  dependencies: Omit<NodeDependencies, 'redisUrl'>,
): Promise<{ nodes: Nodes | null; lease: BackgroundLease; hub: Hub }> {
  const nodes = redisUrl ? await join(redisUrl, dependencies) : null;
  const lease = nodes?.lease ?? alwaysHeldLease;
  cleanup.defer(() => lease.stop());
  cleanup.defer(() => nodes?.stop());
  const hub = nodes?.hub ?? createSoleHub(dependencies);
  cleanup.defer(() => hub.stop());
  return { nodes, lease, hub };
}

/** Creates the hub of a single server. It needs the feed, too, because commands append to the log. */
function createSoleHub({ db, log, metrics }: Omit<NodeDependencies, 'redisUrl'>): Hub {
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

/** Imports the client of Redis only if there are several nodes. */
async function join(
  redisUrl: string,
  dependencies: Omit<NodeDependencies, 'redisUrl'>,
): Promise<Nodes> {
  const { joinNodes } = await import('./join-nodes.ts');
  return joinNodes({ redisUrl, ...dependencies });
}
