// Queues the digests of a day, spread over two hours. No row of an account changes: a single value for all accounts says how
// far the round has come.
import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDailyClock, type DailyTime } from '#server/base/daily-clock.ts';
import type { MissedInClass } from '#server/features/notifications/missed.ts';
import type { Log } from '#server/base/log.ts';
import type { Digest, MailQueue } from '#server/mail/mail-queue.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { Recipient } from '#server/mail/recipient.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { createDigestMail } from './digest-mail.ts';
import type { DigestLinks } from './digest-links.ts';
import type { Progress, ProgressStore, StoredProgress } from './digest-progress.ts';

interface Dependencies {
  db: Database;
  /** The commit queue for changes of accounts. */
  commits: CommitQueue;
  mails: Pick<MailQueue, 'insertDigests' | 'countWaiting'>;
  time: DailyTime;
  /** Orders the accounts of a day. */
  orderKey: KeyObject;
  progress: ProgressStore;
  /** Yields accounts in groups, between which everything else runs. */
  listAccounts(): AsyncGenerator<string[]>;
  /** @returns null if the account gets no digest now */
  findRecipient(accountId: string): Promise<Recipient | null>;
  listMissed(accountId: string): Promise<MissedInClass[]>;
  links: DigestLinks;
  lease: Pick<BackgroundLease, 'isHeld' | 'confirm'>;
  settings: { appName: string; origin: string };
  log: Log;
}

/** The accounts of a day in their order, each with its place from 0 to 1. */
interface Round {
  day: number;
  waiting: { place: number; accountId: string }[];
}

interface KnownProgress extends StoredProgress {
  progress: Progress;
}

const spreadMinutes = 2 * 60; // DIGEST-7
/** If the server or the mail server was down, later accounts get none on this day. */
const lastMinute = 6 * 60; // DIGEST-7
const intervalMs = 10_000;
const maxAccountsPerStep = 50;
/** If so many mails wait, the mail server is slow or down. */
const maxWaitingMails = 100;

export class Digests {
  readonly #dependencies: Dependencies;
  readonly #clock: ReturnType<typeof createDailyClock>;
  readonly #timer: NodeJS.Timeout;
  #knownProgress: KnownProgress | null = null;
  #round: Round | null = null;
  #currentStep: Promise<void> | null = null;
  #isFailing = false;
  #isStopped = false;

  /** Begins immediately with a step. */
  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#clock = createDailyClock(dependencies.time);
    this.#startStep();
    this.#timer = setInterval(() => this.#startStep(), intervalMs);
  }

  /** Resolves when no step is running. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#currentStep;
  }

  #startStep(): void {
    if (this.#isStopped) return;
    this.#currentStep ??= this.#step()
      .then(() => {
        this.#isFailing = false;
      })
      .catch((error: unknown) => {
        this.#forget();
        this.#reportFailure(error);
      })
      .then(() => {
        this.#currentStep = null;
      });
  }

  async #step(): Promise<void> {
    const { lease, mails } = this.#dependencies;
    if (!lease.isHeld()) {
      this.#forget();
      return;
    }
    const { day, minutes } = this.#clock(Date.now());
    const knownProgress = (this.#knownProgress ??= await this.#getProgress(day));
    if (minutes > lastMinute || (await this.#hasBegunLater(knownProgress, day))) return;
    if ((await mails.countWaiting(maxWaitingMails)) >= maxWaitingMails) return;
    if (this.#round?.day !== day) this.#round = await this.#startRound(day, knownProgress.progress);
    const { waiting } = this.#round;
    const lastPlace = minutes / spreadMinutes;
    const next = waiting.findIndex(({ place }) => place > lastPlace);
    const due = waiting.slice(0, Math.min(next < 0 ? Infinity : next, maxAccountsPerStep));
    await this.#handle(due, day, knownProgress.value);
    this.#round.waiting = waiting.slice(due.length);
  }

  /** If the progress is unknown, the digests of today may have left. */
  async #getProgress(day: number): Promise<KnownProgress> {
    const { db, progress: store } = this.#dependencies;
    const { progress, value } = await store.read(db);
    if (progress === 'unknown') return this.#save({ day, place: 1 }, value);
    return { progress: progress ?? { day: 0, place: 1 }, value };
  }

  /** The clock was set back. If it had been wrong by days, digests begin again tomorrow. */
  async #hasBegunLater({ progress, value }: KnownProgress, day: number): Promise<boolean> {
    if (progress.day <= day) return false;
    if (progress.day > day + 1) this.#knownProgress = await this.#save({ day, place: 1 }, value);
    return true;
  }

  async #startRound(day: number, storedProgress: Progress): Promise<Round> {
    const { orderKey, listAccounts } = this.#dependencies;
    const from = storedProgress.day === day ? storedProgress.place : -1;
    const waiting: Round['waiting'] = [];
    for await (const group of listAccounts()) {
      for (const accountId of group) {
        const place = derivePlace(orderKey, day, accountId);
        if (place > from) waiting.push({ place, accountId });
      }
      await nextTurn();
    }
    return { day, waiting: waiting.toSorted((a, b) => a.place - b.place) };
  }

  async #handle(due: Round['waiting'], day: number, previousValue: string | null): Promise<void> {
    const digests: Digest[] = [];
    for (const { accountId } of due) {
      if (this.#isStopped) return;
      const mail = await this.#compose(accountId).catch((error) => this.#reportFailure(error));
      if (mail) digests.push({ accountId, mail });
      await nextTurn();
    }
    const last = due.at(-1);
    if (!last || digests.length === 0) return;
    this.#knownProgress = await this.#save({ day, place: last.place }, previousValue, digests);
  }

  async #compose(accountId: string): Promise<Mail | null> {
    const { findRecipient, listMissed, links, settings } = this.#dependencies;
    const recipient = await findRecipient(accountId);
    const missedClasses = recipient === null ? [] : await listMissed(accountId);
    if (recipient === null || missedClasses.length === 0) return null;
    const unsubscribeUrl = links.unsubscribeUrl(accountId);
    return createDigestMail({ ...recipient, missed: missedClasses, unsubscribeUrl, ...settings });
  }

  /** @param digests are queued in the same commit */
  async #save(
    progress: Progress,
    previousValue: string | null,
    digests: readonly Digest[] = [],
  ): Promise<KnownProgress> {
    const { commits, lease, mails, progress: store } = this.#dependencies;
    const value = await commits.write(async (unitOfWork) => {
      await lease.confirm(unitOfWork.db);
      await mails.insertDigests(unitOfWork, digests);
      return store.write(unitOfWork.db, previousValue, progress);
    }, 'independent');
    return { progress, value };
  }

  /**
   * The next step reads the progress again. Another node may have gone on, or a commit has succeeded and its answer was
   * lost.
   */
  #forget(): void {
    this.#knownProgress = null;
    this.#round = null;
  }

  #reportFailure(error: unknown): null {
    if (!this.#isFailing && !this.#isStopped) {
      this.#dependencies.log.warn('digest.failed', { error });
    }
    this.#isFailing = true;
    return null;
  }
}

/** Derives a place from 0 to 1, another one each day. */
function derivePlace(key: KeyObject, day: number, accountId: string): number {
  const hmac = createHmac('sha256', key).update(`${day} ${accountId}`);
  return hmac.digest().readUInt32BE() / 2 ** 32;
}
