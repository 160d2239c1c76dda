// The health of the server: /healthz and /readyz for load balancers, /metrics for monitors, and for operators the
// overview and the settings in force on /admin. Numbers of people are coarse and renewed once a minute, because an exact
// number would reveal when a single person acted (decision 70).
import { version } from '#server/base/version.ts';
import type { Feature, Server } from '#server/feature.ts';
import { registerMetricsRoute } from './metrics-route.ts';
import { createOverview, type OverviewServer } from './overview.ts';
import { createReadiness } from './readiness.ts';
import { registerHealthRoutes } from './routes.ts';
import type { Warnings } from './warnings.ts';

export function createHealth(
  server: OverviewServer & Pick<Server, 'nodes'>,
  warnings: Warnings,
  getBackupAgeHours: () => number | null,
  countSearchWrites: () => Promise<number>,
): Feature {
  const { config, metrics, nodes } = server;
  const overview = createOverview(server, warnings, getBackupAgeHours, countSearchWrites);
  const listFailedParts = createReadiness(server);
  return {
    routes(route, app) {
      app.get('/healthz', (context) => context.text(`ok ${version}`));
      app.get('/readyz', async (context) => {
        const failedParts = await listFailedParts();
        // A proxy that chooses between nodes ignores pictures, because the chat works without S3.
        const ignoresPictures = context.req.query('pictures') === 'no';
        const isReady = failedParts.every((part) => part === 'pictures' && ignoresPictures);
        const hasLostRedis = nodes !== null && !nodes.health.isConnected();
        const ready = hasLostRedis ? 'ready, but Redis is gone' : 'ready'; // NODE-4
        const text = failedParts.length > 0 ? `not ready: ${failedParts.join(', ')}` : ready;
        return context.text(text, isReady ? 200 : 503);
      });
      registerMetricsRoute(app, metrics, config);
      registerHealthRoutes(route, config, overview);
    },
    stop: overview.stop,
  };
}
