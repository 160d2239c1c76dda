import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../stage.ts';

const hour = 3_600_000;

/** The server restarts with a clock one hour behind, then one hour ahead. */
export const clock: Fault = {
  name: 'clock',
  async run({ server }) {
    for (const shift of [-hour, hour]) {
      await sleep(700);
      await server.end('SIGKILL');
      const settings = { FAULT_SHIFT_MS: String(shift) };
      await server.start({ file: 'shift-clock.ts', settings });
    }
    await sleep(1_000);
  },
};
