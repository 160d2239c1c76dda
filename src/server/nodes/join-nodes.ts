// Connects this server with the other nodes on its database. The module is loaded only if REDIS_URL is set.
import type { ReadMarkNotices } from '#server/chat/members/read-marks.ts';
import type { ServerCore } from '#server/accounts/server-core.ts';
import type { Limiter } from '#server/base/limiter.ts';
import { createRandomId } from '#server/base/random-id.ts';
import { createLocalHub } from '#server/live/hub.ts';
import type { Database } from '#server/store/tables.ts';
import type { ClassChangeListener } from '#server/store/changes.ts';
import { createBackgroundLease } from '#server/store/background-lease.ts';
import { createBusCipher } from './bus-cipher.ts';
import { connectFeed, createNodeHub } from './node-hub.ts';
import { createNotices } from './notices.ts';
import { watchPresence } from './presence-elsewhere.ts';
import { createRedisBus } from './redis-bus.ts';
import { shareSignInFailures, shareLimits } from './shared-limits.ts';

interface SearchIndex extends ClassChangeListener {
  /** Reads classes again that another node changed. */
  recheck(classIds: Iterable<string>): void;
  load(): Promise<void>;
}

/** The interval at which the search index is loaded again while no notices arrive. */
const reloadMs = 60_000;

/** @param commitDb the database of the lease */
export function joinNodes(
  server: Pick<ServerCore, 'db' | 'keys' | 'epoch' | 'log' | 'metrics'>,
  redisUrl: string,
  commitDb: Database,
) {
  const { keys, epoch, log, metrics } = server;
  const nodeId = createRandomId();
  const lease = createBackgroundLease(commitDb, nodeId, log);
  const bus = createRedisBus(redisUrl, log);
  const cipher = createBusCipher(keys.bus, epoch);
  const notices = createNotices({ bus, cipher, key: keys.bus.channels, nodeId });
  const local = createLocalHub(metrics);
  const presence = watchPresence(local, notices, lease.isHeld);
  let reloadTimer: NodeJS.Timeout | null = null;
  const feed = connectFeed(server, local, bus, cipher);
  const hub = createNodeHub(local, feed, notices, presence);
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
