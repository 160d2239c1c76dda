import type { KeyObject } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { memberOf } from '../domain/membership.ts';
import { readHistory } from '../domain/history.ts';
import type { Database } from '../storage/database.ts';
import type { Route } from './route.ts';

export function messageRoutes(route: Route, db: Database, personaKey: KeyObject): void {
  route('listMessages', 'signedIn', async ({ account, params: { classId }, query }) => {
    await memberOf(db, personaKey, account.id, classId);
    return readHistory(db, classId, query.before ?? Number.MAX_SAFE_INTEGER, {
      limit: query.limit,
      maxBytes: limits.historyPageBytes,
    });
  });
}
