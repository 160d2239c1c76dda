import { Refusal } from '#contract/errors.ts';
import type { ClassIndex } from '../search/class-index.ts';
import { answerQueries } from '../search/query-call.ts';
import type { Route } from './route.ts';

/** @param index null where a hosted one is asked instead */
export function searchRoutes(route: Route, index: Pick<ClassIndex, 'find'> | null): void {
  route('searchClasses', 'signedIn', async ({ body }) => {
    if (!index) throw new Refusal('NOT_FOUND');
    return answerQueries(index, body);
  });
}

/** @param access null where this server is asked itself */
export function searchAccessRoute(
  route: Route,
  access: (() => { applicationId: string; key: string }) | null,
): void {
  route('searchAccess', 'signedIn', async () => {
    if (!access) throw new Refusal('NOT_FOUND');
    return access();
  });
}
