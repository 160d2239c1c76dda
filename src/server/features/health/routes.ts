// The calls of the overview of /admin.
import type { Operators } from '#server/chat/staff/operators.ts';
import type { Config } from '#server/config/config-types.ts';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import type { OverviewReader } from './overview.ts';
import { listSettingsInForce } from './settings-in-force.ts';

interface Dependencies {
  config: Config;
  db: Database;
  operators: Operators;
  overview: Pick<OverviewReader, 'read'>;
}

export function registerHealthRoutes(
  route: Route,
  { config, db, operators, overview }: Dependencies,
): void {
  route('readOverview', 'signedIn', async ({ account }) => {
    await operators.check(db, account);
    return overview.read();
  });

  route('readSettingsInForce', 'signedIn', async ({ account }) => {
    await operators.check(db, account);
    return { inForce: listSettingsInForce(config) };
  });
}
