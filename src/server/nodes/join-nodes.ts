// Connects this server with the other nodes on its database. Loaded only with REDIS_URL.
import type { KeyObject } from 'node:crypto';
import type { Log } from '../log.ts';
import type { WorkCounter } from '../metrics/metrics.ts';
import { randomId } from '../random-id.ts';
import { createHub } from '../socket/hub.ts';
import type { Database } from '../storage/database.ts';
import { holdBackgroundLease } from './background-lease.ts';
import { createBusCipher } from './bus-cipher.ts';
import { createNodeHub } from './node-hub.ts';
import { createLogReader } from './read-log.ts';
import { createRedisBus } from './redis-bus.ts';

interface Parts {
  redisUrl: string;
  db: Database;
  keys: { channels: KeyObject; messages: KeyObject };
  epoch: string;
  log: Log;
  metrics: Pick<WorkCounter, 'count'>;
}

export async function joinNodes({ redisUrl, db, keys, epoch, log, metrics }: Parts) {
  const lease = await holdBackgroundLease(db, randomId(), log);
  const bus = createRedisBus(redisUrl, log);
  const cipher = createBusCipher(keys, epoch);
  const local = createHub(metrics);
  const hub = createNodeHub({ local, bus, cipher, logReader: createLogReader(db), log });
  return {
    hub,
    lease,
    isConnected: bus.isConnected,
    /** Call it after the commits: the other nodes get the last of them. */
    async stop() {
      await hub.stop();
      await bus.stop();
    },
  };
}
