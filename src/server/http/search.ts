import { answerQueries } from '../search/query-call.ts';
import type { Reader } from '../storage/database.ts';
import type { Route } from './route.ts';

export function searchRoutes(route: Route, db: Reader): void {
  route('searchClasses', 'signedIn', async ({ body }) => answerQueries(db, body));
}
