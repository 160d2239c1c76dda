import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../stage.ts';

/** The process is suspended. Its clients time out and reconnect with their unsent operations. */
export const pause: Fault = {
  name: 'pause',
  timeoutMs: 1_000,
  async run({ server, full }) {
    await sleep(500);
    server.signal('SIGSTOP');
    await sleep(full ? 60_000 : 3_000);
    server.signal('SIGCONT');
    await sleep(1_000);
  },
};
