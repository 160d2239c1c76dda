import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../settle.ts';
import type { Fault } from '../stage.ts';

/** Very many come back at the same moment after a restart, when nobody spreads them. */
export const herd: Fault = {
  name: 'herd',
  load: { everyMs: [100, 400] },
  async run({ server, clients, addClient, classId, observe, full }) {
    const accounts = [...clients];
    const crowd = Array.from({ length: full ? 2_000 : 200 }, (_, i) =>
      addClient(accounts[i % accounts.length]!, `crowd-${i}`, { impatientMs: Infinity }),
    );
    const level = () => {
      const head = Math.max(...accounts.map((client) => client.room(classId).seq));
      return crowd.every((one) => one.connectedAt() !== null && one.room(classId).seq >= head - 5);
    };
    await until(level, full ? 60_000 : 10_000);
    await server.end('SIGKILL');
    await server.start();
    const back = performance.now();
    const allBack = await until(level, 10_000);
    const took = Math.round(performance.now() - back);
    observe('all are level again 10 s after the restart', allBack, `it took ${took} ms`);
    await sleep(300);
  },
};
