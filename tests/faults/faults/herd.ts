import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from '../settle.ts';
import type { SyncClient } from '../sync-client.ts';
import type { Fault } from '../stage.ts';

/** Per account, slightly fewer than the server allows (LIMIT-27). */
const socketsEach = 50;

/** Very many clients reconnect at the same time after a restart. */
export const herd: Fault = {
  name: 'herd',
  load: { everyMs: [100, 400] },
  async run({ server, clients, addClient, addMember, classId, observe, full }) {
    const speakers = [...clients];
    const size = full ? 2_000 : 200;
    const members: SyncClient[] = [];
    while (members.length < size / socketsEach) {
      members.push(await addMember(`member-${members.length}`));
    }
    const crowd = Array.from({ length: size }, (_, i) =>
      addClient(members[i % members.length]!.account, `crowd-${i}`, { timeoutMs: Infinity }),
    );
    const isCaughtUp = () => {
      const head = Math.max(...speakers.map((client) => client.room(classId).seq));
      return crowd.every(
        (client) => client.connectedAt() !== null && client.room(classId).seq >= head - 5,
      );
    };
    const isConnected = await waitUntil(isCaughtUp, full ? 60_000 : 10_000);
    observe('all clients are connected before the restart', isConnected, `${size} sockets`);
    await server.end('SIGKILL');
    await server.start();
    const restartedAt = performance.now();
    const allBack = await waitUntil(isCaughtUp, 10_000);
    const took = Math.round(performance.now() - restartedAt);
    observe('all clients are up to date 10 s after the restart', allBack, `it took ${took} ms`);
    await sleep(300);
  },
};
