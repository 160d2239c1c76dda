// The health of the server: /healthz and /readyz for load balancers, /metrics for monitors, and for operators the
// overview and the settings in force on /admin. Numbers of people are coarse and renewed once a minute, because an exact
// number would reveal when a single person acted (decision 70).
import { listDiskFolders } from '#server/pictures/upload-space.ts';
import { version } from '#server/base/version.ts';
import { toMailProblem } from '#server/mail/mail-problem.ts';
import type { Feature, Server } from '#server/feature.ts';
import { createDailyCounts } from './daily-counts.ts';
import { registerMetricsRoute } from './metrics-route.ts';
import { createOverview } from './overview.ts';
import { createReadiness } from './readiness.ts';
import { registerHealthRoutes } from './routes.ts';
import type { Warnings } from './warnings.ts';

interface Dependencies {
  warnings: Warnings;
  /** Gets the age of the newest daily backup: Infinity if there is no backup, null if daily backups are off. */
  getBackupAgeHours(): number | null;
  /** Counts the changes that wait for the hosted search. */
  countSearchWrites(): Promise<number>;
}

export function createHealth(
  server: Pick<
    Server,
    | 'config'
    | 'db'
    | 'commits'
    | 'accountCommits'
    | 'keys'
    | 'accountRecords'
    | 'metrics'
    | 'nodes'
    | 'transport'
    | 'imageStore'
    | 'uploadSpace'
    | 'log'
  >,
  { warnings, getBackupAgeHours, countSearchWrites }: Dependencies,
): Feature {
  const { config, db, commits, accountCommits, metrics, nodes, transport } = server;
  const { imageStore, log } = server;
  const queues = [commits, accountCommits];
  const mailCheck = transport.check();
  mailCheck.catch((error: unknown) => {
    log.warn('mail.unreachable', toMailProblem(error));
  });
  const overview = createOverview({
    config,
    db,
    transport,
    mailCheck,
    store: imageStore,
    uploadSpace: server.uploadSpace,
    warnings,
    getBackupAgeHours,
    isSavingFailed: () => queues.some((queue) => queue.health().isFailing),
    countSearchWrites,
    openSockets: metrics.openSockets,
    dailyCounts: createDailyCounts(db, server.accountRecords, server.keys.dailyCounts),
  });
  const listFailedParts = createReadiness({
    db,
    queues,
    folders: listDiskFolders(config),
    images: imageStore,
  });
  return {
    routes(route, app) {
      app.get('/healthz', (context) => context.text(`ok ${version}`));
      app.get('/readyz', async (context) => {
        const failedParts = await listFailedParts();
        // A proxy that chooses between nodes ignores pictures, because the chat works without S3.
        const ignoresPictures = context.req.query('pictures') === 'no';
        const isReady = failedParts.every((part) => part === 'pictures' && ignoresPictures);
        const hasLostRedis = nodes !== null && !nodes.health.isConnected();
        const ready = hasLostRedis ? 'ready, but Redis is gone' : 'ready'; // NODE-7
        const text = failedParts.length > 0 ? `not ready: ${failedParts.join(', ')}` : ready;
        return context.text(text, isReady ? 200 : 503);
      });
      registerMetricsRoute(app, metrics, config);
      registerHealthRoutes(route, config, overview);
    },
    stop: overview.stop,
  };
}
