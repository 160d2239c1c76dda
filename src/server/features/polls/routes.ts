// What a member may see of a poll, and its closing before its time.
import { closePoll, getShownPoll } from '#server/chat/polls/polls.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

export function registerPollRoutes(
  route: Route,
  { db, keys, roles }: Pick<Server, 'db' | 'keys' | 'roles'>,
): void {
  const { personas: personaKey, questionVotes: voteKey } = keys;

  route('readPoll', ({ account, params: { classId, messageId } }) =>
    getShownPoll(db, { personaKey, accountId: account.id, classId }, voteKey, messageId),
  );

  route('closePoll', async ({ commits, account, params: { classId, messageId } }) => {
    const actor = { personaKey, accountId: account.id, classId, email: account.email };
    await commits.write((unitOfWork) => closePoll(unitOfWork, actor, roles, messageId), {
      classId,
    });
    return {};
  });
}
