// Publishes the numbers of votes for questions, the counts of open polls, and what is new in private questions. A number that
// changed with each vote would tell classmates when someone voted, and with what else a persona did at that moment, who. So the
// questions and polls of a class wait together for a random time after the first unpublished vote. One with a vote shortly before
// that time waits for the next.
import { randomInt } from 'node:crypto';
import { startRepeating } from '#server/base/start-repeating.ts';
import { createTurns } from '#server/base/turns.ts';
import { listAllClasses } from '#server/chat/messages/authored-content-queries.ts';
import type { MessageRow } from '#server/chat/messages/messages-queries.ts';
import type { Server } from '#server/feature.ts';
import { publishTallies } from '#server/chat/polls/polls.ts';
import { listActivePolls } from '#server/chat/polls/polls-queries.ts';
import { publishPrivateQuestions } from '#server/chat/private-questions/private-questions.ts';
import { listUnpublishedPrivateQuestions } from '#server/chat/private-questions/private-questions-queries.ts';
import { publishVotes } from '#server/chat/questions/questions.ts';
import { listUnpublishedQuestions } from '#server/chat/questions/questions-queries.ts';

/** The next time at which numbers of a class are published. All times are those of `performance.now()`. */
interface Round {
  endsAt: number;
  timer: NodeJS.Timeout;
  /** The id of a question or poll → the time of its first unpublished vote. */
  questions: Map<string, number>;
  /** The questions with a vote shortly before the end, which wait for the next round, in the same form. */
  laterQuestions: Map<string, number>;
}

const minDelayMs = 5_000; // QUEST-7
const maxDelayMs = 25_000; // QUEST-7
/** The longest time for which further votes defer a number. */
const maxDeferralMs = 60_000; // QUEST-7
/** A small number, so that other writes do not wait long. */
const questionsPerCommit = 20; // QUEST-7
/** How soon the server searches again after a failed search, or after it has taken the lease. */
const searchIntervalMs = 5 * 60_000;

type PublisherServer = Pick<Server, 'db' | 'commits' | 'lease' | 'log'>;

export class DelayedPublisher {
  readonly #server: PublisherServer;
  /** Class id → its next round. */
  readonly #rounds = new Map<string, Round>();
  #isStopped = false;
  /** Whether a server may have ended before it published votes. */
  #mustSearch = true;

  constructor(server: PublisherServer) {
    this.#server = server;
  }

  /** Publishes the number of the question after a random time, because a vote for it was cast, taken back or deleted. */
  schedule(classId: string, messageId: string): void {
    if (this.#isStopped) return;
    const round = this.#rounds.get(classId) ?? this.#startRound(classId, new Map());
    const { questions, laterQuestions, endsAt } = round;
    const now = performance.now();
    const firstVoteAt = questions.get(messageId) ?? laterQuestions.get(messageId) ?? now;
    const isTooYoung = endsAt - now < minDelayMs;
    const canWait = endsAt + maxDelayMs - firstVoteAt <= maxDeferralMs;
    questions.delete(messageId);
    laterQuestions.delete(messageId);
    (isTooYoung && canWait ? laterQuestions : questions).set(messageId, firstVoteAt);
  }

  /** Another node will publish the vote. If this node is about to publish a number of the question, the vote defers it. */
  onUnpublishedElsewhere(classId: string, messageId: string): void {
    if (this.#isWaiting(classId, messageId)) this.schedule(classId, messageId);
  }

  /** Searches for votes that no server publishes, soon: another node may have ended, or an effect of a commit may be lost. */
  searchAgain(): void {
    this.#mustSearch = true;
  }

  /**
   * Searches for votes that no server publishes, once when this server has started or taken the lease.
   *
   * @returns a function that stops the search
   */
  start(): () => Promise<void> {
    const { lease, log } = this.#server;
    return startRepeating(async () => {
      if (!lease.isHeld()) this.#mustSearch = true;
      else if (this.#mustSearch) {
        this.#mustSearch = false;
        await this.#search().catch((error: unknown) => {
          this.#mustSearch = true;
          log.warn('votes.failed', { error });
        });
      }
    }, searchIntervalMs);
  }

  async #search(): Promise<void> {
    const { db } = this.#server;
    const takeTurn = createTurns();
    const scheduleFound = ({ classId, id }: Pick<MessageRow, 'classId' | 'id'>) => {
      if (!this.#isWaiting(classId, id)) this.schedule(classId, id);
    };
    for await (const { classId, status } of listAllClasses(db)) {
      if (this.#isStopped) return;
      if (status !== 'active') continue;
      for (const question of await listUnpublishedQuestions(db, classId)) scheduleFound(question);
      await takeTurn();
    }
    for (const openPoll of await listActivePolls(db)) scheduleFound(openPoll);
    for (const question of await listUnpublishedPrivateQuestions(db)) scheduleFound(question);
  }

  /** The next server publishes what is not published yet. */
  stop(): void {
    this.#isStopped = true;
    for (const { timer } of this.#rounds.values()) clearTimeout(timer);
  }

  #isWaiting(classId: string, messageId: string): boolean {
    const round = this.#rounds.get(classId);
    return (
      round !== undefined && (round.questions.has(messageId) || round.laterQuestions.has(messageId))
    );
  }

  #startRound(classId: string, questions: Round['questions']): Round {
    const delayMs = randomInt(minDelayMs, maxDelayMs);
    const publishClassVotes = () => void this.#publish(classId, round);
    const round: Round = {
      endsAt: performance.now() + delayMs,
      timer: setTimeout(publishClassVotes, delayMs),
      questions,
      laterQuestions: new Map(),
    };
    this.#rounds.set(classId, round);
    return round;
  }

  async #publish(classId: string, round: Round): Promise<void> {
    const { commits, log } = this.#server;
    const { questions, laterQuestions } = round;
    // From now on, every vote waits for the next round.
    round.endsAt = -Infinity;
    try {
      while (questions.size > 0) {
        const messageIds = [...questions.keys()].slice(0, questionsPerCommit);
        await commits.write(
          async (unitOfWork) => {
            await publishVotes(unitOfWork, classId, messageIds);
            await publishTallies(unitOfWork, classId, messageIds);
            await publishPrivateQuestions(unitOfWork, classId, messageIds);
          },
          { classId },
        );
        for (const messageId of messageIds) questions.delete(messageId);
      }
    } catch (error) {
      log.warn('votes.failed', { error });
    }
    this.#rounds.delete(classId);
    const waitingQuestions = new Map([...questions, ...laterQuestions]);
    if (waitingQuestions.size > 0 && !this.#isStopped) this.#startRound(classId, waitingQuestions);
  }
}
