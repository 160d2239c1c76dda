// After the fault: waits until every operation is answered and all clients are equal, then takes their lists.
import { setTimeout as sleep } from 'node:timers/promises';
import { equalWithinMs } from './checks/lists.ts';
import type { Client } from './client.ts';
import type { FinalList } from './history.ts';
import type { FaultClient } from './fault-client.ts';
import type { RoomList } from './room-list.ts';

/** Longer than any retry delay of a nack, and than the timeout of a database lock. */
const answeredWithinMs = 20_000;

/** Waits for the condition; false if it is not met in time. */
export async function until(condition: () => boolean, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!condition()) {
    if (performance.now() > deadline) return false;
    await sleep(20);
  }
  return true;
}

export async function waitUntilAnswered(clients: readonly Client[]): Promise<boolean> {
  return until(() => clients.every((client) => client.pending() === 0), answeredWithinMs);
}

/** When each client's list matched the longest one, counted from its last reconnect. */
export async function waitUntilEqual(
  clients: readonly Client[],
  withinMs: number = equalWithinMs + 1_000,
): Promise<Map<RoomList, number>> {
  const since = performance.now();
  const levelAfter = new Map<RoomList, number>();
  const all = clients.flatMap((client) => client.rooms().map((room) => ({ client, room })));
  await until(() => {
    for (const { client, room } of all) {
      const heads = all.filter((one) => one.room.classId === room.classId);
      const head = Math.max(...heads.map((one) => one.room.seq));
      const from = client.connectedAt();
      const level = from !== null && room.seq === head && room.memberId !== null;
      if (!level) levelAfter.delete(room);
      else if (!levelAfter.has(room)) {
        levelAfter.set(room, Math.round(performance.now() - Math.max(from, since)));
      }
    }
    return levelAfter.size === all.length;
  }, withinMs);
  return levelAfter;
}

/** The list with the older pages that a browser loads when it scrolls up. */
export async function takeList(
  client: Client,
  room: RoomList,
  pupil: FaultClient,
  levelAfter: ReadonlyMap<RoomList, number>,
): Promise<FinalList> {
  const { classId } = room;
  while (room.hasOlder) {
    const before = room.messages[0]?.seq ?? room.seq + 1;
    const query = { before, limit: 100 };
    const page = await pupil.student.call('listMessages', { params: { classId }, query });
    room.prepend(page.messages);
  }
  const messages = [...room.messages];
  return { client: client.name, classId, messages, equalAfterMs: levelAfter.get(room) ?? null };
}
