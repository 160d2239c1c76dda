// After the fault: waits until every operation is answered and all clients are equal, then takes their lists.
import { setTimeout as sleep } from 'node:timers/promises';
import { equalWithinMs } from './checks/lists.ts';
import type { SyncClient } from './sync-client.ts';
import type { FinalList } from './history.ts';
import type { LogReplica } from './log-replica.ts';

/** Longer than any retry delay of a nack, and than the timeout of a database lock. */
const answeredWithinMs = 20_000;

/** Waits for the condition; false if it is not met in time. */
export async function waitUntil(condition: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

export async function waitUntilAnswered(clients: readonly SyncClient[]): Promise<boolean> {
  return waitUntil(() => clients.every((client) => client.pending() === 0), answeredWithinMs);
}

/** When each client's list matched the longest one, counted from its last reconnect. */
export async function waitUntilEqual(
  clients: readonly SyncClient[],
  withinMs: number = equalWithinMs + 1_000,
): Promise<Map<LogReplica, number>> {
  const startedAt = performance.now();
  const equalAfter = new Map<LogReplica, number>();
  const all = clients.flatMap((client) => client.rooms().map((room) => ({ client, room })));
  await waitUntil(() => {
    for (const { client, room } of all) {
      const heads = all.filter((candidate) => candidate.room.classId === room.classId);
      const head = Math.max(...heads.map((candidate) => candidate.room.seq));
      const from = client.connectedAt();
      const level = from !== null && room.seq === head && room.memberId !== null;
      if (!level) equalAfter.delete(room);
      else if (!equalAfter.has(room)) {
        equalAfter.set(room, Math.round(performance.now() - Math.max(from, startedAt)));
      }
    }
    return equalAfter.size === all.length;
  }, withinMs);
  return equalAfter;
}

/** The list with the older pages that a browser loads when it scrolls up. */
export async function takeList(
  client: SyncClient,
  room: LogReplica,
  equalAfter: ReadonlyMap<LogReplica, number>,
): Promise<FinalList> {
  const { classId } = room;
  while (room.hasOlder) {
    const firstSeq = room.messages[0]?.seq ?? room.seq + 1;
    const query = { before: firstSeq, limit: 100 };
    const page = await client.account.call('listMessages', { params: { classId }, query });
    room.prepend(page.messages);
  }
  const messages = [...room.messages];
  return { client: client.name, classId, messages, equalAfterMs: equalAfter.get(room) ?? null };
}
