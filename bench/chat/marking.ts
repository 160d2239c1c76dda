import type { Load } from './load.ts';

/** The browser sends at most one read mark in this time, and always the last one. */
const markEveryMs = 1000;
const sweepEveryMs = 50;

/** Every client marks what it receives as read, like the browser. `stop` returns the number of marks. */
export function startMarking(load: Load): { stop(): number } {
  let marks = 0;
  const markedAt = new Float64Array(load.clients.length).fill(-Infinity);
  const hasUnmarked = new Uint8Array(load.clients.length);
  const mark = (client: number, now: number) => {
    load.clients[client]?.markRead?.();
    marks += 1;
    markedAt[client] = now;
    hasUnmarked[client] = 0;
  };
  load.onDelivery = (client) => {
    const now = performance.now();
    if (now - markedAt[client]! >= markEveryMs) mark(client, now);
    else hasUnmarked[client] = 1;
  };
  const sweep = setInterval(() => {
    const now = performance.now();
    for (let client = 0; client < markedAt.length; client++) {
      if (hasUnmarked[client] && now - markedAt[client]! >= markEveryMs) mark(client, now);
    }
  }, sweepEveryMs);
  return {
    stop() {
      clearInterval(sweep);
      load.onDelivery = () => {};
      return marks;
    },
  };
}
