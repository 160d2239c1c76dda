// Polls: members ask something with options, and others vote without a name. This feature tells a member the own vote and the
// counts that the member may see, and closes polls when their time is over. The rules of polls are in the chat
// (chat/messages/polls.ts), because a commit checks and writes them. The feature of questions publishes the counts of open polls.
import { deriveId } from '#server/chat/members/member-ids.ts';
import { getMember } from '#server/chat/members/member.ts';
import { closeDuePoll, closePoll, readPoll } from '#server/chat/messages/polls.ts';
import { listDuePolls } from '#server/chat/messages/polls-queries.ts';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Feature, Server } from '#server/feature.ts';
import type { Route } from '#server/http/route.ts';

type Dependencies = Pick<Server, 'db' | 'commits' | 'keys' | 'roles' | 'lease' | 'log'>;

/** How long after its time a poll closes, at most. */
const closingIntervalMs = 5_000; // POLL-4
/** A small number, so that the search does not take long. The next one finds the others. */
const pollsPerSearch = 100;

export function createPolls(dependencies: Dependencies): Feature {
  return {
    routes: (route) => registerPollRoutes(route, dependencies),
    start: () => startRepeating(() => closeDuePolls(dependencies), closingIntervalMs),
  };
}

function registerPollRoutes(route: Route, { db, keys, roles }: Dependencies): void {
  const { personas: personaKey, questionVotes: voteKey } = keys;

  route(
    'readPoll',
    { access: 'signedIn', rate: 'historyPages' },
    async ({ account, params: { classId, messageId } }) => {
      const { classSalt } = await getMember(db, personaKey, account.id, classId);
      const voter = deriveId(voteKey, classSalt, account.id, classId).id;
      return readPoll(db, voteKey, { classId, voter }, messageId);
    },
  );

  route(
    'closePoll',
    { access: 'signedIn', rate: 'edits' },
    async ({ commits, account, params: { classId, messageId } }) => {
      const actor = { personaKey, accountId: account.id, classId, email: account.email };
      await commits.write((unitOfWork) => closePoll(unitOfWork, actor, roles, messageId), {
        classId,
      });
      return {};
    },
  );
}

async function closeDuePolls({ db, commits, lease, log }: Dependencies): Promise<void> {
  if (!lease.isHeld()) return;
  try {
    for (const duePoll of await listDuePolls(db, Date.now(), pollsPerSearch)) {
      const { classId } = duePoll;
      await commits.write((unitOfWork) => closeDuePoll(unitOfWork, duePoll), { classId });
    }
  } catch (error) {
    log.warn('votes.failed', { error });
  }
}
