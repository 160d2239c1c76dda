import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../stage.ts';

const stages = ['written', 'committed', 'published', 'acknowledged'];

/** kill -9 between insert, commit, publish and acknowledgement, each after some commits. */
export const killAtStage: Fault = {
  name: 'kill-at-stage',
  async run({ server, random, observe }) {
    for (const stage of stages) {
      const settings = { FAULT_STAGE: stage, FAULT_COUNT: String(random.int(5, 40)) };
      await server.end('SIGKILL');
      await server.start({ file: 'end-at-stage.ts', settings });
      const isReached = await Promise.race([server.ended().then(() => true), sleep(8_000, false)]);
      observe(`the server reports that a commit is ${stage}`, isReached, 'no such stage in 8 s');
    }
    await server.end('SIGKILL');
    await server.start();
    await sleep(300);
  },
};
