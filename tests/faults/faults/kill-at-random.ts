import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../stage.ts';

/** kill -9 under load, three times, at random moments. */
export const killAtRandom: Fault = {
  name: 'kill-at-random',
  async run({ server, random }) {
    for (let i = 0; i < 3; i++) {
      await sleep(random.int(200, 1_200));
      await server.end('SIGKILL');
      await server.start();
    }
    await sleep(300);
  },
};
