// What a member may see of a poll, and its closing before its time.
import { getMember } from '#server/chat/members/member.ts';
import { deriveId } from '#server/chat/members/member-ids.ts';
import { closePoll, getShownPoll } from '#server/chat/polls/polls.ts';
import type { Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

export function registerPollRoutes(
  route: Route,
  { db, keys, roles }: Pick<Server, 'db' | 'keys' | 'roles'>,
): void {
  const { personas: personaKey, questionVotes: voteKey } = keys;

  route('readPoll', async ({ account, params: { classId, messageId } }) => {
    const { classSalt } = await getMember(db, personaKey, account.id, classId);
    const voter = deriveId(voteKey, classSalt, account.id, classId).id;
    return getShownPoll(db, voteKey, { classId, voter }, messageId);
  });

  route('closePoll', async ({ commits, account, params: { classId, messageId } }) => {
    const actor = { personaKey, accountId: account.id, classId, email: account.email };
    await commits.write((unitOfWork) => closePoll(unitOfWork, actor, roles, messageId), {
      classId,
    });
    return {};
  });
}
