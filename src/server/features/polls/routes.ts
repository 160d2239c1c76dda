// What a member may see of a poll, and its closing before its time.
import { closePoll, getShownPoll } from '#server/chat/polls/polls.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

export function registerPollRoutes(route: Route, server: Pick<Server, 'db' | 'site'>): void {
  route('readPoll', ({ account, params: { classId, messageId } }) =>
    getShownPoll(server, { accountId: account.id, classId }, messageId),
  );

  route('closePoll', async ({ commits, account, params: { classId, messageId } }) => {
    const actor = { accountId: account.id, classId, email: account.email };
    await commits.write((unitOfWork) => closePoll(unitOfWork, actor, messageId), {
      classId,
    });
    return {};
  });
}
