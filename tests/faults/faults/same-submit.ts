import { setTimeout as sleep } from 'node:timers/promises';
import { createPost } from '../load.ts';
import type { Fault } from '../stage.ts';

/** Two tabs of one account send the same message at the same time, also across a kill -9. */
export const sameSubmit: Fault = {
  name: 'same-submit',
  async run({ server, clients, history, classId, random }) {
    const tabs = clients.filter((client) => client.name.startsWith('ada'));
    for (let i = 0; i < 150; i++) {
      const operation = createPost(tabs[0]!, classId, random);
      history.operations.push(operation);
      for (const tab of tabs) tab.submit(operation);
      if (i === 75) {
        await server.end('SIGKILL');
        await server.start();
      }
      await sleep(random.int(0, 25));
    }
  },
};
