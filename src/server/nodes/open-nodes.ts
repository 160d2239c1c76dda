// The other servers on the same database, or what a server has that is alone.
import type { Hub } from '#server/live/hub.ts';
import { createHub } from '#server/live/hub.ts';
import { soleServer, type BackgroundLease } from '#server/store/background-lease.ts';
import type { joinNodes, NodeParts } from './join-nodes.ts';

export type Nodes = ReturnType<typeof joinNodes>;

/** @param redisUrl null for a server that is alone */
export async function openNodes(
  opened: AsyncDisposableStack,
  redisUrl: string | null,
  parts: Omit<NodeParts, 'redisUrl'>,
): Promise<{ nodes: Nodes | null; lease: BackgroundLease; hub: Hub }> {
  const nodes = redisUrl ? await join(redisUrl, parts) : null;
  const lease = nodes?.lease ?? soleServer;
  opened.defer(() => lease.stop());
  opened.defer(() => nodes?.stop());
  return { nodes, lease, hub: nodes?.hub ?? createHub(parts.metrics) };
}

/** Imports the client of Redis only if there are several nodes. */
async function join(redisUrl: string, parts: Omit<NodeParts, 'redisUrl'>): Promise<Nodes> {
  const { joinNodes } = await import('./join-nodes.ts');
  return joinNodes({ redisUrl, ...parts });
}
