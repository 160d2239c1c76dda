// Connects this server with the other nodes on its database. The module is loaded only if REDIS_URL is set.
import type { KeyObject } from 'node:crypto';
import type { ReadMarkNotices } from '#server/chat/members/read-marks.ts';
import type { Limiter } from '#server/base/limiter.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { createLocalHub } from '#server/live/hub.ts';
import type { Database } from '#server/store/tables.ts';
import type { ClassChangeListener } from '#server/store/changes.ts';
import { createBackgroundLease } from '#server/store/background-lease.ts';
import { createBusCipher } from './bus-cipher.ts';
import { createNodeHub } from './node-hub.ts';
import { createNotices } from './notices.ts';
import { createLogReader } from './read-log.ts';
import { watchPresence } from './presence-elsewhere.ts';
import { createRedisBus } from './redis-bus.ts';
import { shareSignInFailures, shareLimits } from './shared-limits.ts';

export interface NodeDependencies {
  redisUrl: string;
  db: Database;
  /** The database of the lease. */
  commitDb: Database;
  keys: { channels: KeyObject; messages: KeyObject };
  epoch: string;
  log: Log;
  metrics: Pick<WorkCounter, 'count'>;
}

interface SearchIndex extends ClassChangeListener {
  /** Reads classes again that another node changed. */
  recheck(classIds: Iterable<string>): void;
  load(): Promise<void>;
}

/** The interval at which the search index is loaded again while no notices arrive. */
const reloadMs = 60_000;

export function joinNodes({ redisUrl, db, commitDb, keys, epoch, log, metrics }: NodeDependencies) {
  const nodeId = createRandomId();
  const lease = createBackgroundLease(commitDb, nodeId, log);
  const bus = createRedisBus(redisUrl, log);
  const cipher = createBusCipher(keys, epoch);
  const notices = createNotices({ bus, cipher, key: keys.channels, nodeId });
  const local = createLocalHub(metrics);
  const presence = watchPresence({ local, notices, isNotifier: lease.isHeld });
  let reloadTimer: NodeJS.Timeout | null = null;
  const hub = createNodeHub({
    local,
    bus,
    cipher,
    notices,
    presence,
    log,
    metrics,
    logReader: createLogReader(db),
  });
  return {
    hub,
    lease,
    /**
     * The notices of read marks. A position is written up to a minute later, and until then the other nodes have it in memory.
     */
    readMarkNotices: {
      deriveAccountKey: notices.deriveAccountKey,
      send: (notice) => notices.send({ kind: 'readMark', ...notice }),
      listen: (listener) =>
        notices.onNotice((notice) => {
          if (notice.kind === 'readMark') listener(notice);
        }),
    } satisfies ReadMarkNotices,
    health: { isConnected: bus.isConnected, delayMs: notices.delayMs },
    shareLimits: (limiter: Limiter) => shareLimits(limiter, notices),
    sharedSignInFailures: shareSignInFailures(notices),
    /** The notices that the notifications of this node send to other nodes. */
    notificationNotices: {
      onSubscription: (sessionId: string) => notices.send({ kind: 'subscription', sessionId }),
      onSubscriptionGone: (sessionId: string) =>
        notices.send({ kind: 'subscriptionGone', sessionId }),
    },
    notices,
    isViewingHere: local.isViewing,
    onNotifierLost: presence.onNotifierLost,
    /** Tells whether another node, which receives the notices of this node, sends notifications. */
    isNotifyingElsewhere: () => !lease.isHeld() && bus.isConnected() && presence.hasNotifier(),
    /** @returns the listener of this node's commits, which also notifies the other nodes */
    shareSearch(search: SearchIndex): ClassChangeListener {
      const reload = () => search.load().catch((error) => log.warn('search.failed', { error }));
      notices.onNotice((notice) => {
        if (notice.kind === 'classes') search.recheck(notice.classIds);
      });
      notices.onGap(() => void reload());
      reloadTimer = setInterval(() => {
        if (!bus.isConnected()) void reload();
      }, reloadMs);
      return {
        classesChanged(classes) {
          search.classesChanged(classes);
          notices.send({ kind: 'classes', classIds: [...classes.keys()] });
        },
      };
    },
    /** Leaves the other nodes. Call it after the last commit, so that they get its notices. */
    async stop() {
      if (reloadTimer) clearInterval(reloadTimer);
      presence.stop();
      notices.stop();
      await bus.stop();
    },
  };
}
