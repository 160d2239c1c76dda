// Opens what everything else stands on, from the bottom up: the key, the database, the other nodes and the queues of commits.
import { AccountRecords } from './accounts/account-records.ts';
import { createMailboxes } from './accounts/mailboxes.ts';
import type { ServerCore } from './accounts/server-core.ts';
import { SessionRecords } from './accounts/session-records.ts';
import { createClientAddresses } from './base/client-addresses.ts';
import type { FileSandbox } from './base/file-worker.ts';
import { createLimiter } from './base/limiter.ts';
import type { Log } from './base/log.ts';
import { createMetrics } from './base/metrics.ts';
import type { RateName } from './base/rates.ts';
import { toLimitLabel } from './base/served-metrics.ts';
import { ensureServerKey, computeKeyCheck, loadServerKeys } from './base/server-keys.ts';
import { version } from './base/version.ts';
import type { Config } from './config/config-types.ts';
import { backUpBeforeMigration } from './features/backups/back-up-before-migration.ts';
import { openClassIndex } from './features/class-search/feature.ts';
import { openMailTransport } from './mail/mail-transport.ts';
import { openNodes } from './nodes/open-nodes.ts';
import { openImageStore } from './pictures/open-image-store.ts';
import { createRowOrderEraser } from './store/dialects/postgres-row-order.ts';
import { openQueues } from './store/open-queues.ts';
import { openStore, type Store } from './store/open-store.ts';
import type { Effect } from './store/changes.ts';
import type { Site } from './store/site.ts';

export type Spine = Awaited<ReturnType<typeof openSpine>>;

/** What follows a commit. The features take part in it, so these are placeholders until the features are open. */
interface AfterCommits {
  follow(effects: readonly Effect[]): Promise<void> | undefined;
}

export async function openSpine(
  stack: AsyncDisposableStack,
  config: Config,
  log: Log,
  sandbox: Promise<FileSandbox>,
) {
  ensureServerKey(config);
  const keys = loadServerKeys(config.secretKey, config.keyDir);
  const keyCheck = computeKeyCheck(keys);
  const mailboxes = createMailboxes(config.domainAliases, keys.mailboxes);
  const accountRecords = new AccountRecords(keys.accounts, mailboxes);
  const sessionRecords = new SessionRecords(keys.sessions, accountRecords);
  const site: Site = { keys, operators: config.operators, accountRecords };
  const imageStore = await openImageStore(config.images, log);
  const store = await openStore(stack, {
    config,
    keys,
    backUpBeforeMigration: (openedDb) => backUpBeforeMigration(openedDb, { config, keys, log }),
    log,
  });
  const { db, commitDb, kind, epoch, onErased } = store;

  // The other nodes. They share the rate limits.
  const metrics = createMetrics({ version, database: kind }, log);
  const below = { config, log, keys, site, metrics, db, epoch };
  const { nodes, lease, hub } = await openNodes(stack, below, commitDb);
  const onLimitHit = (name: RateName) => metrics.count('limits', toLimitLabel(name));
  const ownLimiter = createLimiter(config.rates, undefined, onLimitHit);
  const limiter = nodes?.shareLimits(ownLimiter) ?? ownLimiter;
  const addresses = createClientAddresses(
    config.trustedProxies,
    () => log.warn('proxy.untrusted'),
    nodes ? keys.bus.addresses : undefined,
  );

  const queues = openCommits(stack, { ...below, lease }, store);
  const transport = openMailTransport(config, log);
  stack.defer(() => transport.stop());
  return {
    ...below,
    keyCheck,
    limiter,
    onLimitHit,
    addresses,
    mailboxes,
    accountRecords,
    sessionRecords,
    sandbox,
    imageStore,
    kind,
    databaseTaken: store.taken,
    onErased,
    nodes,
    lease,
    hub,
    ...queues,
    transport,
  };
}

/** Opens the queues of commits, with the class index and PostgreSQL's eraser of row order, which stop after the queues. */
function openCommits(
  stack: AsyncDisposableStack,
  {
    config,
    site,
    log,
    lease,
    metrics,
  }: Pick<ServerCore, 'config' | 'site' | 'log' | 'lease' | 'metrics'>,
  store: Store,
) {
  // Released after the queues are drained: their last commits change the index and the order of rows, too.
  if (store.kind === 'postgres') {
    const rowOrderEraser = createRowOrderEraser(store.db, lease.isHeld, log);
    stack.defer(() => rowOrderEraser.stop());
  }
  const classIndex = openClassIndex(config, store.db, log);
  stack.defer(() => classIndex?.stop());
  const afterCommits: AfterCommits = {
    // Until the features are open, the only effect is that content is erased.
    follow(effects) {
      if (effects.some((effect) => effect.kind === 'erased')) store.onErased();
      return undefined;
    },
  };
  const { commits, accountCommits } = openQueues(stack, {
    db: store.commitDb,
    site,
    kind: store.kind,
    log,
    metrics,
    follow: (effects) => afterCommits.follow(effects),
  });
  return {
    classIndex,
    commits,
    accountCommits,
    afterCommits,
  };
}
