import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../settle.ts';
import type { Client } from '../client.ts';
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
    const members: Client[] = [];
    while (members.length < size / socketsEach) {
      members.push(await addMember(`member-${members.length}`));
    }
    const crowd = Array.from({ length: size }, (_, i) =>
      addClient(members[i % members.length]!, `crowd-${i}`, { timeoutMs: Infinity }),
    );
    const level = () => {
      const head = Math.max(...speakers.map((client) => client.room(classId).seq));
      return crowd.every((one) => one.connectedAt() !== null && one.room(classId).seq >= head - 5);
    };
    const here = await until(level, full ? 60_000 : 10_000);
    observe('all are there before the restart', here, `${size} sockets`);
    await server.end('SIGKILL');
    await server.start();
    const back = performance.now();
    const allBack = await until(level, 10_000);
    const took = Math.round(performance.now() - back);
    observe('all are level again 10 s after the restart', allBack, `it took ${took} ms`);
    await sleep(300);
  },
};
