import { answerQueries } from '../search/query-call.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Reader } from '../storage/database.ts';
import type { Route } from './route.ts';

export function searchRoutes(route: Route, db: Reader, limiter: Limiter): void {
  route('searchClasses', 'signedIn', async ({ account, body }) => {
    limiter.take('searches', account.id, body.requests.length);
    return answerQueries(db, body.requests);
  });
}
