import type { ClassIndex } from '../search/class-index.ts';
import { answerQueries } from '../search/query-call.ts';
import type { Route } from './route.ts';

export function searchRoutes(route: Route, index: Pick<ClassIndex, 'find'>): void {
  route('searchClasses', 'signedIn', async ({ body }) => answerQueries(index, body));
}
