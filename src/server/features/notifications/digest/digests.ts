// Queues the digests of a day, spread over two hours. No row of an account changes: a single value for all accounts says how
// far the round has come.
import { createHmac, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createDailyClock, type DailyTime } from '#server/base/daily-clock.ts';
import type { MissedInClass } from '#server/features/notifications/missed.ts';
import type { Log } from '#server/base/log.ts';
import type { Digest, MailQueue } from '#server/mail/mail-queue.ts';
import type { Mail } from '#server/mail/mail-transport.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database } from '#server/store/tables.ts';
import { createDigestMail } from './digest-mail.ts';
import type { DigestLinks } from './digest-links.ts';
import type { Progress, ProgressStore, StoredProgress } from './digest-progress.ts';

interface Dependencies {
  db: Database;
  /** The queue of accounts. */
  commits: CommitQueue;
  mails: Pick<MailQueue, 'insertDigests' | 'countWaiting'>;
  time: DailyTime;
  /** Orders the accounts of a day. */
  orderKey: KeyObject;
  progress: ProgressStore;
  /** Yields accounts in groups, between which everything else runs. */
  listAccounts(): AsyncGenerator<string[]>;
  /** @returns null if the account gets no digest now */
  findAddress(accountId: string): Promise<string | null>;
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

/** @returns a function that stops it; it resolves when no step is running */
export function startDigests(dependencies: Dependencies): () => Promise<void> {
  const { db, commits, mails, lease, log } = dependencies;
  const clock = createDailyClock(dependencies.time);
  let knownProgress: KnownProgress | null = null;
  let round: Round | null = null;
  let isStopped = false;
  let isFailing = false;

  async function step(): Promise<void> {
    if (!lease.isHeld()) {
      forget();
      return;
    }
    const { day, minutes } = clock(Date.now());
    knownProgress ??= await getProgress(day);
    if (minutes > lastMinute || (await hasBegunLater(knownProgress, day))) return;
    if ((await mails.countWaiting(maxWaitingMails)) >= maxWaitingMails) return;
    if (round?.day !== day) round = await startRound(day, knownProgress.progress);
    const lastPlace = minutes / spreadMinutes;
    const next = round.waiting.findIndex(({ place }) => place > lastPlace);
    const due = round.waiting.slice(0, Math.min(next < 0 ? Infinity : next, maxAccountsPerStep));
    await handle(due, day, knownProgress.value);
    round.waiting = round.waiting.slice(due.length);
  }

  /** If the progress is unknown, the digests of today may have left. */
  async function getProgress(day: number): Promise<KnownProgress> {
    const { progress, value } = await dependencies.progress.read(db);
    if (progress === 'unknown') return save({ day, place: 1 }, value);
    return { progress: progress ?? { day: 0, place: 1 }, value };
  }

  /**
   * The next step reads the progress again. Another node may have gone on, or a commit has succeeded and its answer was
   * lost.
   */
  function forget(): void {
    knownProgress = null;
    round = null;
  }

  /** The clock was set back. If it had been wrong by days, digests begin again tomorrow. */
  async function hasBegunLater({ progress, value }: KnownProgress, day: number): Promise<boolean> {
    if (progress.day <= day) return false;
    if (progress.day > day + 1) knownProgress = await save({ day, place: 1 }, value);
    return true;
  }

  /** @param digests are queued in the same commit */
  async function save(
    progress: Progress,
    previousValue: string | null,
    digests: readonly Digest[] = [],
  ): Promise<KnownProgress> {
    const value = await commits.write(async (unitOfWork) => {
      await lease.confirm(unitOfWork.db);
      await mails.insertDigests(unitOfWork, digests);
      return dependencies.progress.write(unitOfWork.db, previousValue, progress);
    }, 'nothing');
    return { progress, value };
  }

  async function startRound(day: number, storedProgress: Progress): Promise<Round> {
    const from = storedProgress.day === day ? storedProgress.place : -1;
    const waiting: Round['waiting'] = [];
    for await (const group of dependencies.listAccounts()) {
      for (const accountId of group) {
        const place = derivePlace(dependencies.orderKey, day, accountId);
        if (place > from) waiting.push({ place, accountId });
      }
      await nextTurn();
    }
    return { day, waiting: waiting.toSorted((a, b) => a.place - b.place) };
  }

  async function handle(
    due: Round['waiting'],
    day: number,
    previousValue: string | null,
  ): Promise<void> {
    const digests: Digest[] = [];
    for (const { accountId } of due) {
      if (isStopped) return;
      const mail = await compose(accountId).catch(reportFailure);
      if (mail) digests.push({ accountId, mail });
      await nextTurn();
    }
    const last = due.at(-1);
    if (!last || digests.length === 0) return;
    knownProgress = await save({ day, place: last.place }, previousValue, digests);
  }

  async function compose(accountId: string): Promise<Mail | null> {
    const to = await dependencies.findAddress(accountId);
    const missedClasses = to === null ? [] : await dependencies.listMissed(accountId);
    if (to === null || missedClasses.length === 0) return null;
    const unsubscribeUrl = dependencies.links.unsubscribeUrl(accountId);
    return createDigestMail({
      to,
      missed: missedClasses,
      unsubscribeUrl,
      ...dependencies.settings,
    });
  }

  function reportFailure(error: unknown): null {
    if (!isFailing && !isStopped) log.warn('digest.failed', { error });
    isFailing = true;
    return null;
  }

  let currentStep: Promise<void> | null = null;
  function run(): void {
    if (isStopped) return;
    currentStep ??= step()
      .then(() => {
        isFailing = false;
      })
      .catch((error: unknown) => {
        forget();
        reportFailure(error);
      })
      .then(() => {
        currentStep = null;
      });
  }

  run();
  const timer = setInterval(run, intervalMs);
  return async () => {
    isStopped = true;
    clearInterval(timer);
    await currentStep;
  };
}

/** Derives a place from 0 to 1, another one each day. */
function derivePlace(key: KeyObject, day: number, accountId: string): number {
  const hmac = createHmac('sha256', key).update(`${day} ${accountId}`);
  return hmac.digest().readUInt32BE() / 2 ** 32;
}
