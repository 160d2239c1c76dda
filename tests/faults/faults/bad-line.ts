import { setTimeout as sleep } from 'node:timers/promises';
import { startProxy } from '../proxy.ts';
import type { Fault } from '../stage.ts';

/** Frames arrive late, connections break mid-frame, and events are repeated immediately or much later. */
export const badLine: Fault = {
  name: 'bad-line',
  between: (origin, random) =>
    startProxy(origin, {
      delayMs: () => (random.chance(0.1) ? random.int(50, 400) : random.int(0, 20)),
      cuts: () => random.chance(0.003),
      deliver(frame, { held }) {
        if (!frame.startsWith('{"type":"events"')) return [frame];
        held.push(frame);
        if (random.chance(0.1)) return [frame, frame];
        return random.chance(0.1) ? [frame, random.pick(held)] : [frame];
      },
    }),
  run: () => sleep(4_000).then(() => {}),
};
