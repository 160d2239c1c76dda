import { AppError } from '#contract/errors.ts';
import type { ClassIndex } from '../search/class-index.ts';
import { answerQueries, requestsIn } from '../search/query-call.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Route } from './route.ts';

/** @param index null where a hosted one is asked instead */
export function searchRoutes(
  route: Route,
  index: Pick<ClassIndex, 'find'> | null,
  limiter: Limiter,
): void {
  route('searchClasses', 'signedIn', async ({ account, body }) => {
    if (!index) throw new AppError('NOT_FOUND');
    const requests = requestsIn(body);
    limiter.take('searches', account.id, requests.length);
    return answerQueries(index, requests);
  });
}

/** @param access null where this server is asked itself */
export function searchAccessRoute(
  route: Route,
  access: (() => { applicationId: string; key: string }) | null,
): void {
  route('searchAccess', 'signedIn', async () => {
    if (!access) throw new AppError('NOT_FOUND');
    return access();
  });
}
