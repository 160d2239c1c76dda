// The calls of the overview of /admin.
import type { Config } from '#server/config/config-types.ts';
import type { Route } from '#server/http/route.ts';
import type { OverviewReader } from './overview.ts';
import { listSettingsInForce } from './settings-in-force.ts';

export function registerHealthRoutes(
  route: Route,
  config: Config,
  overview: Pick<OverviewReader, 'read'>,
): void {
  route('readOverview', () => overview.read());

  route('readSettingsInForce', async () => ({ inForce: listSettingsInForce(config) }));
}
