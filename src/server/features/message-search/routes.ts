// The search in the messages of a class.
import { limits } from '#contract/limits.ts';
import { FairQueue } from '#server/base/fair-queue.ts';
import { getMember } from '#server/chat/members/member.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';
import { searchMessages } from './message-search.ts';

/** Two, so that on PostgreSQL one works while another one waits for rows. */
const maxRunningSearches = 2; // FIND-17

export function registerMessageSearchRoutes(
  route: Route,
  server: Pick<Server, 'db' | 'site'>,
): void {
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
      const { head } = await getMember(server, account.id, classId);
      return searchMessages(server.db, classId, head, {
        query: query.query,
        beforeSeq: query.before ?? Number.MAX_SAFE_INTEGER,
        limit: query.limit,
        topicId: query.topicId,
        maxBytes: limits.historyPageBytes,
      });
    });
  });
}
