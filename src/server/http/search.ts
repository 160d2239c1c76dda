import { AppError } from '#contract/errors.ts';
import type { ClassIndex } from '../search/class-index.ts';
import { answerQueries, requestsIn } from '../search/query-call.ts';
import type { Limiter } from '../limits/limiter.ts';
import type { Route } from './route.ts';

/** @param index null if browsers use a hosted index */
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

/** @param access null if this server answers searches itself */
export function searchAccessRoute(
  route: Route,
  access: (() => { applicationId: string; key: string }) | null,
): void {
  route('searchAccess', 'signedIn', async () => {
    if (!access) throw new AppError('NOT_FOUND');
    return access();
  });
}
