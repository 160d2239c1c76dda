// Planted faults: they prove that the checker finds errors in the traffic of a real server.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogItem, ServerFrame } from '#contract/socket.ts';
import type { Rule } from '../checks/violation.ts';
import { startProxy, type Tampering } from '../proxy.ts';
import type { Fault } from '../stage.ts';

/** The server acknowledges uncommitted messages and is killed. */
const ackBeforeCommit: Fault = {
  name: 'ack-before-commit',
  planted: 'acknowledged once everywhere',
  async run({ server, random }) {
    await server.end('SIGTERM');
    await server.start({ file: 'commit-late.ts', settings: {} });
    await sleep(random.int(500, 1_000));
    await server.end('SIGKILL');
    await server.start();
    await sleep(300);
  },
};

/** Changes every frame that fits: what happened to one message disappears if that message is deleted. */
function plantOnTheLine(
  name: string,
  planted: Rule,
  change: (items: LogItem[]) => LogItem[] | null,
): Fault {
  let done = false;
  return {
    name,
    planted,
    between: (origin) => {
      done = false;
      const deliver: Tampering['deliver'] = (text) => {
        const frame = JSON.parse(text) as ServerFrame;
        if (frame.type !== 'events') return [text];
        const items = change(frame.items);
        if (!items) return [text];
        done = true;
        return [JSON.stringify({ ...frame, items })];
      };
      return startProxy(origin, { deliver });
    },
    // The number of changes in a frame is random, so this waits until one fits.
    async run() {
      for (let tenths = 0; tenths < 100 && (!done || tenths < 10); tenths++) await sleep(100);
    },
  };
}

const isPost = (item: LogItem) => item.kind === 'posted';

const droppedItem = plantOnTheLine('dropped-item', 'no gaps', (items) =>
  items.some(isPost) ? items.filter((item) => !isPost(item)) : null,
);

const repeatedItem = plantOnTheLine('repeated-item', 'acknowledged once everywhere', (items) =>
  items.some(isPost) ? items.flatMap((item) => [item, item]) : null,
);

const swappedItems = plantOnTheLine('swapped-items', 'no gaps', (items) =>
  items.filter(isPost).length > 1 ? items.toReversed() : null,
);

/** The last frames never arrive, and no later frame lets a client notice. */
const droppedFrame: Fault = {
  name: 'dropped-frame',
  planted: 'equal in time',
  equalWithinMs: 2_000,
  between(origin) {
    const connections = new Set<object>();
    return startProxy(origin, {
      deliver(frame, state) {
        connections.add(state);
        const isFirst = connections.values().next().value === state;
        const isEvents = frame.startsWith('{"type":"events"');
        return isFirst && isEvents ? [] : [frame];
      },
    });
  },
  run: () => sleep(1_000).then(() => {}),
};

export const plantedFaults: readonly Fault[] = [
  ackBeforeCommit,
  droppedItem,
  repeatedItem,
  swappedItems,
  droppedFrame,
];
