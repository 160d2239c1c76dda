// Polls: members ask something with options, and others vote without a name. This feature tells a member the own vote and the
// counts that the member may see, and closes polls when their time is over. The rules of polls are in the chat
// (chat/polls/polls.ts), because a commit checks and writes them. The feature of questions publishes the counts of open polls.
import { startRepeating } from '#server/base/start-repeating.ts';
import { closeDuePoll } from '#server/chat/polls/polls.ts';
import { listDuePolls } from '#server/chat/polls/polls-queries.ts';
import type { Feature, Server } from '#server/feature.ts';
import { registerPollRoutes } from './routes.ts';

type Dependencies = Pick<Server, 'db' | 'site' | 'commits' | 'lease' | 'log'>;

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

async function closeDuePolls({ db, commits, lease, log }: Dependencies): Promise<void> {
  if (!lease.isHeld()) return;
  const logFailure = (error: unknown) => log.warn('votes.failed', { error });
  const duePolls = await listDuePolls(db, Date.now(), pollsPerSearch).catch(logFailure);
  for (const { classId, id } of duePolls ?? []) {
    if (!lease.isHeld()) return;
    // A poll that cannot be closed must not keep the later ones open.
    await commits
      .write((unitOfWork) => closeDuePoll(unitOfWork, classId, id), { classId })
      .catch(logFailure);
  }
}
