// Publishes the numbers of votes for questions, and the counts of open polls. A number that changed with each vote would tell classmates when someone voted, and with what
// else a persona did at that moment, who. So a class waits for a random time after its first unpublished vote, and then
// publishes all numbers that have changed.
import { randomInt } from 'node:crypto';
import { startRepeating } from '#server/base/start-repeating.ts';
import type { Log } from '#server/base/log.ts';
import { publishTallies } from '#server/chat/messages/polls.ts';
import { listClassesWithOpenPolls } from '#server/chat/messages/polls-queries.ts';
import { publishVotes } from '#server/chat/messages/questions.ts';
import { listUncountedQuestions } from '#server/chat/messages/questions-queries.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
}

const minDelayMs = 5_000; // QUEST-7
const maxDelayMs = 25_000; // QUEST-7
/** Finds the votes whose server ended before it published them. */
const searchIntervalMs = 5 * 60_000;
const maxFoundQuestions = 1000;

export class VotePublisher {
  readonly #dependencies: Dependencies;
  /** The classes whose numbers will be published. */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Publishes the numbers of the class after a random time, unless that is scheduled already. */
  schedule(classId: string): void {
    if (this.#isStopped || this.#timers.has(classId)) return;
    const publishClassVotes = () => void this.#publish(classId);
    this.#timers.set(classId, setTimeout(publishClassVotes, randomInt(minDelayMs, maxDelayMs)));
  }

  /** @returns a function that stops the search */
  start(): () => Promise<void> {
    const { db, lease, log } = this.#dependencies;
    return startRepeating(async () => {
      if (!lease.isHeld()) return;
      try {
        const uncounted = await listUncountedQuestions(db, {}, maxFoundQuestions);
        for (const { classId } of uncounted) this.schedule(classId);
        for (const classId of await listClassesWithOpenPolls(db)) this.schedule(classId);
      } catch (error) {
        log.warn('votes.failed', { error });
      }
    }, searchIntervalMs);
  }

  /** The next server publishes what is not published yet. */
  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  async #publish(classId: string): Promise<void> {
    const { commits, log } = this.#dependencies;
    this.#timers.delete(classId);
    try {
      const hasMore = await commits.write(
        async (unitOfWork) => {
          const hasMoreQuestions = await publishVotes(unitOfWork, classId);
          return (await publishTallies(unitOfWork, classId)) || hasMoreQuestions;
        },
        { classId },
      );
      if (hasMore) this.schedule(classId);
    } catch (error) {
      log.warn('votes.failed', { error });
      this.schedule(classId);
    }
  }
}
