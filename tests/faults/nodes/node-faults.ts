// The faults of several nodes, in the order of the rounds.
import { setTimeout as sleep } from 'node:timers/promises';
import { closeCodes } from '#contract/socket-address.ts';
import type { NodesFault } from './play-nodes-round.ts';

const halfAnHour = 1_800_000;

/** Messages between nodes are lost, come twice or late, and overtake each other. */
const badBus: NodesFault = {
  name: 'bad-bus',
  arrivals(random) {
    if (random.chance(0.1)) return [];
    if (random.chance(0.1)) return [0, random.int(1, 3_000)];
    return random.chance(0.3) ? [random.int(1, 200)] : [0];
  },
  run: ({ full }) => sleep(full ? 60_000 : 4_000).then(() => {}),
};

/** kill -9 of one node after another, under load. */
const killNode: NodesFault = {
  name: 'kill-node',
  async run({ nodes, random }) {
    for (let i = 0; i < 3; i++) {
      await sleep(random.int(200, 1_000));
      const { server } = random.pick(nodes);
      await server.end('SIGKILL');
      await sleep(random.int(0, 800));
      await server.start();
    }
    await sleep(500);
  },
};

/** One node is suspended. Its clients go to others, and it comes back with old transactions. */
const pauseNode: NodesFault = {
  name: 'pause-node',
  timeoutMs: 1_000,
  async run({ nodes, random, full }) {
    await sleep(500);
    const { server } = random.pick(nodes);
    server.signal('SIGSTOP');
    await sleep(full ? 60_000 : 4_000);
    server.signal('SIGCONT');
    await sleep(1_000);
  },
};

const killRedis: NodesFault = {
  name: 'kill-redis',
  async run({ redis, random }) {
    for (let i = 0; i < 3; i++) {
      await sleep(random.int(200, 1_000));
      await redis.kill();
      await sleep(i === 0 ? 0 : random.int(0, 2_000));
      await redis.start();
    }
    await sleep(1_000);
  },
};

const pauseRedis: NodesFault = {
  name: 'pause-redis',
  async run({ redis, full }) {
    await sleep(500);
    redis.pause();
    await sleep(full ? 60_000 : 5_000);
    redis.resume();
    await sleep(1_000);
  },
};

/** Every connection breaks, and commits may or may not have happened. */
const killPostgres: NodesFault = {
  name: 'kill-postgres',
  async run({ postgres, random }) {
    for (let i = 0; i < 2; i++) {
      await sleep(random.int(300, 1_200));
      await postgres.kill();
      await sleep(random.int(0, 1_500));
      await postgres.start();
    }
    await sleep(500);
    await postgres.restart();
    await sleep(500);
  },
};

const pausePostgres: NodesFault = {
  name: 'pause-postgres',
  async run({ postgres, full }) {
    await sleep(500);
    postgres.pause();
    await sleep(full ? 60_000 : 4_000);
    postgres.resume();
    await sleep(1_000);
  },
};

/** Packets between one node and an engine disappear; the others go on. */
const cutFrom = (name: string, engine: 'toPostgres' | 'toRedis'): NodesFault => ({
  name,
  async run({ nodes, random, full }) {
    for (let i = 0; i < 2; i++) {
      await sleep(500);
      const link = random.pick(nodes)[engine];
      link.freeze();
      await sleep(full ? 60_000 : random.int(1_000, 6_000));
      link.thaw();
    }
    await sleep(1_000);
  },
});

/** The clocks of the first and the last node are an hour apart. */
const clocks: NodesFault = {
  name: 'clocks',
  createPreload: (node) => ({
    file: 'shift-clock.ts',
    settings: { FAULT_SHIFT_MS: String(node === 0 ? -halfAnHour : halfAnHour) },
  }),
  run: ({ full }) => sleep(full ? 60_000 : 3_000).then(() => {}),
};

/** Each node is stopped as an administrator does it, and started again. Members notice at most a reconnect. */
const rollingRestart: NodesFault = {
  name: 'rolling-restart',
  async run({ nodes, clients, observe, history }) {
    for (const { server } of nodes) {
      await sleep(500);
      await server.end('SIGTERM');
      await server.start();
    }
    await sleep(500);
    const codes = [...new Set(clients.flatMap(({ closes }) => closes))];
    const announced = codes.length > 0 && codes.every((code) => code === closeCodes.shutdown);
    observe(
      'sockets end by an announced restart only [NODE-15]',
      announced,
      `closes: ${codes.join(', ')}`,
    );
    const laterCodes = history.operations.flatMap(({ answers }) =>
      answers.flatMap((answer) => (answer.kind === 'later' ? [answer.code] : [])),
    );
    observe(
      'no operation is put off',
      laterCodes.length === 0,
      [...new Set(laterCodes)].join(', '),
    );
  },
};

/** A node loses messages that were acknowledged. It shows that the checker would find that. */
const lostMessage: NodesFault = {
  name: 'lost-message',
  planted: 'acknowledged once everywhere',
  async run({ database, classId }) {
    await sleep(1_000);
    // Several, because an author may delete one of them.
    await database.query(
      `delete from messages where ctid in (
         select ctid from messages where "classId" = '${classId}' and deleted = 0 limit 5)`,
    );
  },
};

export const nodeFaults: readonly NodesFault[] = [
  badBus,
  killNode,
  pauseNode,
  killRedis,
  pauseRedis,
  killPostgres,
  pausePostgres,
  cutFrom('cut-from-postgres', 'toPostgres'),
  cutFrom('cut-from-redis', 'toRedis'),
  clocks,
  rollingRestart,
  lostMessage,
];
