import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../stage.ts';

const moments = ['written', 'committed', 'told', 'acknowledged'];

/** kill -9 between insert, commit, publish and acknowledgement, each after some commits. */
export const killAtMoment: Fault = {
  name: 'kill-at-moment',
  async run({ server, random, observe }) {
    for (const moment of moments) {
      const settings = { FAULT_MOMENT: moment, FAULT_COUNT: String(random.int(5, 40)) };
      await server.end('SIGKILL');
      await server.start({ file: 'end-at-moment.ts', settings });
      const came = await Promise.race([server.ended().then(() => true), sleep(8_000, false)]);
      observe(`the server says when a commit is ${moment}`, came, 'no such moment in 8 s');
    }
    await server.end('SIGKILL');
    await server.start();
    await sleep(300);
  },
};
