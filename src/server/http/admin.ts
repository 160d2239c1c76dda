// The calls of /admin. Only operators may make them.
import type { OverviewReader } from '../admin/overview.ts';
import type { Roles } from '../domain/moderation/roles.ts';
import { requireRight } from '../domain/rights.ts';
import type { Database } from '../storage/database.ts';
import type { Route } from './route.ts';

interface Parts {
  db: Database;
  roles: Roles;
  overview: Pick<OverviewReader, 'read'>;
}

export function adminRoutes(route: Route, { db, roles, overview }: Parts): void {
  route('readOverview', 'signedIn', async ({ account }) => {
    await requireRight(db, roles, account, null, 'administer');
    return overview.read();
  });
}
