// The search in the messages of a class.
import type { KeyObject } from 'node:crypto';
import { limits } from '#contract/limits.ts';
import { FairQueue } from '#server/base/fair-queue.ts';
import { getMember } from '#server/chat/members/member.ts';
import type { Route } from '#server/http/route.ts';
import type { Database } from '#server/store/tables.ts';
import { searchMessages } from './message-search.ts';

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
}

/** Two, so that on PostgreSQL one works while another one waits for rows. */
const maxRunningSearches = 2; // FIND-19

export function registerMessageSearchRoutes(route: Route, { db, personaKey }: Dependencies): void {
  const searches = new FairQueue({
    shares: { all: 1 },
    maxRunning: maxRunningSearches,
    maxWaiting: 1000,
    maxWaitingOfMember: 40,
    timeoutMs: 30_000,
    now: () => performance.now(),
  });

  route('searchMessages', async ({ account, params: { classId }, query }) => {
    const turn = { lane: 'all', group: account.id, member: account.id } as const;
    return searches.run(turn, async () => {
      const { head } = await getMember(db, personaKey, account.id, classId);
      return searchMessages(db, classId, head, {
        query: query.query,
        beforeSeq: query.before ?? Number.MAX_SAFE_INTEGER,
        limit: query.limit,
        maxBytes: limits.historyPageBytes,
      });
    });
  });
}
