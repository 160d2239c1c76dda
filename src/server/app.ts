// The composition root. Each step opens what the next ones stand on: the spine, what features get, the features, what
// follows commits, calls and sockets. Only then is anything loaded, and only then does work in the background start.
import type { Server as HttpServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { noSandbox } from './base/file-worker.ts';
import type { MetricSources } from './base/metrics.ts';
import type { Log } from './base/log.ts';
import { StopTogether } from './base/stop-together.ts';
import { toSqliteFile } from './config/config.ts';
import type { Config } from './config/config-types.ts';
import type { Feature, Server } from './feature.ts';
import { createFeatures, maxCounted, type NamedFeatures } from './features.ts';
import { checkFirstStart } from './features/backups/missing-database.ts';
import { removeUnfinishedRestore } from './features/backups/restore.ts';
import { findBackupProblem, getBackupAgeHours } from './features/backups/newest-backup.ts';
import { createClockCheck } from './features/health/clock-check.ts';
import { createDiskCheck } from './features/health/sizes.ts';
import { getOldestCaseDays } from './features/moderation/work/waiting-work.ts';
import { createWarnings } from './features/health/warnings.ts';
import { checkSchoolTheme } from './features/web-app/themes/school-theme.ts';
import { loadSchoolThemes } from './features/web-app/themes/school-themes.ts';
import { ChangeFollower } from './follow-changes.ts';
import { createFollower } from './follow-commits.ts';
import { createCatchUpCache } from './live/catch-up-cache.ts';
import { openServer, type Options } from './open-server.ts';
import { openSpine, type Spine } from './open-spine.ts';
import { serve } from './serve.ts';
import { lockFolder } from './store/folder-lock.ts';

export interface App {
  server: HttpServer;
  /** Resolves if another server takes over the database. This server must then stop. */
  readonly databaseTaken: Promise<void>;
  /** Closes the sockets, waits for work in flight, closes the database and unlocks the data folder. */
  close(): Promise<void>;
}

const themesDir = fileURLToPath(new URL('../../themes', import.meta.url));

/**
 * Builds the whole server without listening.
 *
 * @param webDir the built web app, or null to serve only the API
 */
export async function createApp(
  config: Config,
  serverLog: Log,
  webDir: string | null,
  options: Options = {},
): Promise<App> {
  const warnings = createWarnings(serverLog);
  const { log } = warnings;

  // Released in the opposite order: by a start that fails, and by `close`.
  await using stack = new AsyncDisposableStack();
  stack.defer(lockFolder(config.dataDir));
  removeUnfinishedRestore(toSqliteFile(config.dataDir));
  const themeDirs = [themesDir, join(config.dataDir, 'themes')];
  const themes = loadSchoolThemes(themeDirs, checkSchoolTheme, log);
  checkFirstStart(config, log);
  const { sandbox = Promise.resolve(noSandbox) } = options;
  const spine = await openSpine(stack, config, log, sandbox);
  const { db, nodes, metrics, afterCommits } = spine;

  const stopTogether = stack.use(new StopTogether());
  stopTogether.defer(() => metrics.stop());
  const features: Feature[] = [];
  function run<Created extends Feature>(feature: Created): Created {
    stopTogether.defer(() => feature.stop?.());
    features.push(feature);
    return feature;
  }
  const { server, named } = await openServer(stopTogether, { ...spine, webDir }, options, run);
  const namedFeatures = { ...named, themes, warnings };
  for (const createFeature of createFeatures) {
    const feature = createFeature(server, namedFeatures);
    if (feature) run(feature);
  }

  const catchUps = createCatchUpCache(db, { isShared: nodes !== null });
  const changes = new ChangeFollower(server, catchUps, features);
  if (nodes) server.memberships.catchUp = () => changes.check();
  stopTogether.defer(() => changes.stop());
  afterCommits.follow = createFollower(server, catchUps, features, changes);
  const httpServer = serve(stack, server, features, namedFeatures, catchUps);

  // It follows first, and then loads, so that no change is missed.
  await changes.start();
  nodes?.notices.onNotice((notice) => {
    if (notice.kind === 'changed') void changes.check();
  });
  await nodes?.lease.start();
  for (const feature of features) {
    const stop = feature.start?.();
    if (stop) stopTogether.defer(stop);
  }
  await metrics.start(listMetricSources(spine, server, named));

  const all = stack.move();
  return {
    server: httpServer,
    databaseTaken: spine.databaseTaken,
    close: () => all.disposeAsync(),
  };
}

function listMetricSources(
  { db, hub, nodes, commits, accountCommits }: Spine,
  { config, mails, images }: Server,
  { notifications, classSearch }: Pick<NamedFeatures, 'notifications' | 'classSearch'>,
): MetricSources {
  const { backups } = config;
  return {
    openSockets: () => hub.count().connections,
    getBackupAgeHours: () => (backups ? getBackupAgeHours(backups) : 0),
    isSavingFailed: () => [commits, accountCommits].some((queue) => queue.health().isFailing),
    failing: {
      mail: () => mails.isFailing(),
      backup: () => findBackupProblem(backups) !== null,
      clock: createClockCheck(config, db),
      disk: createDiskCheck(config),
    },
    queues: {
      mail: () => mails.countWaiting(maxCounted),
      push: notifications.countWaiting,
      search_writes: () => classSearch.countWaiting(maxCounted),
      pictures: () => images.countUploads(),
    },
    getOldestCaseDays: () => getOldestCaseDays(db),
    bus: nodes?.health ?? null,
  };
}
