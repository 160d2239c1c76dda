// Mails stay in the database until the mail server accepts them or their links expire.
import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import type { BackgroundLease } from '#server/store/background-lease.ts';
import { createRandomId } from '#server/base/random-id.ts';
import type { CommitQueue } from '#server/store/commit-queue.ts';
import type { Database, DatabaseTransaction } from '#server/store/tables.ts';
import {
  deleteOutgoingMail,
  findOutgoingMail,
  insertOutgoingMail,
  listDueMails,
  countOutgoingMails,
  deleteMailOfLastTurn,
  digestDueAt,
  findFirstTurn,
  updateOutgoingMail,
  type OutgoingMailRow,
} from './outgoing-mails-queries.ts';
import type { UnitOfWork } from '#server/store/changes.ts';
import type { Mail, SendMail } from './mail-transport.ts';
import { createMailTurns } from './mail-turns.ts';
import { isPermanent, isSurelyUnsent, toMailProblem } from './mail-problem.ts';
import { openMail, sealMail, type QueuedMail } from './mail-seal.ts';

/**
 * Resolves when the mail is in the database. No request waits for sending, because its duration would
 * reveal whether an address has an account.
 *
 * @param deliver if false, the row looks the same but is not sent
 */
export type EnqueueMail = (mail: Mail, expiresAt: number, deliver?: boolean) => Promise<void>;

/**
 * Queues a mail that anyone can cause.
 *
 * @param network the network that asks for it; null if the caller has shown to be the recipient
 */
export type EnqueuePublicMail = (
  network: string | null,
  ...mail: Parameters<EnqueueMail>
) => Promise<void>;

export interface MailQueue {
  enqueue: EnqueueMail;
  /**
   * Queues digests behind all other new mails, in a commit of the caller. Each is sent once at most: if it is not certain
   * that an attempt failed, there is no other.
   */
  insertDigests(unitOfWork: UnitOfWork, digests: readonly Digest[]): Promise<void>;
  /** The number of queued mails, counted up to a limit. */
  countWaiting(limit: number): Promise<number>;
  /** Queues a mail that anyone can cause: lanes take turns. If the queue is full, a mail of the last turn is dropped. */
  enqueueInTurn(lane: string, ...mail: Parameters<EnqueueMail>): Promise<void>;
  /** Stops sending. Queued mails stay for the next start. */
  stop(): Promise<void>;
}

export interface Digest {
  accountId: string;
  mail: Mail;
}

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  key: KeyObject;
  send: SendMail;
  /** Whether the account still gets a digest, and at this address, just before it leaves. */
  isDigestWanted(accountId: string, address: string): Promise<boolean>;
  lease: Pick<BackgroundLease, 'isHeld'>;
  log: Log;
  metrics: Pick<WorkCounter, 'count'>;
}

interface NextAttempt {
  row: OutgoingMailRow;
  save(db: DatabaseTransaction, row: OutgoingMailRow): Promise<void>;
}

interface QueueState {
  waiting: number;
  firstTurn: number | null;
  validUntil: number;
}

const minuteMs = 60_000;
const backoffMinutes = [1, 5, 15, 30, 60, 120]; // MAIL-1
/** The delay after those in `backoffMinutes`. */
const maxBackoffMinutes = 240;
/** Stored times are rounded up to a multiple of this. */
const roundToMs = 5 * minuteMs;
const maxWaitMs = 24 * 60 * minuteMs; // MAIL-1
/** A digest of yesterday must not arrive together with the one of today. */
const maxDigestWaitMs = 6 * 60 * minuteMs; // DIGEST-6
const pollIntervalMs = 5_000;
/** A short delay, so that the HTTP response leaves before the work of sending a mail. */
const pollDelayMs = 50;
const maxConcurrent = 5;
/** More than a lecture hall that signs up while the mail server is slow, and 22 MB. */
const maxWaiting = 5_000; // MAIL-13
const stateIsValidMs = 1_000;
const logEveryMs = 60 * minuteMs;
const pollBatchSize = 50;
const stopTimeoutMs = 5_000;

export function createMailQueue(dependencies: Dependencies): MailQueue {
  const { db, commits, key, send, isDigestWanted, lease, log, metrics } = dependencies;
  const inFlight = new Map<string, Promise<void>>();
  /** Ids of mails that the mail server accepted, but whose rows could not be deleted yet. */
  const acceptedIds = new Set<string>();
  let isStopped = false;
  let isFailing = false;
  let lastStartedId = '';
  const turns = createMailTurns();
  let state: QueueState = { waiting: 0, firstTurn: null, validUntil: -Infinity };
  let silentUntil = -Infinity;
  let pollTimer: NodeJS.Timeout | null = null;

  function schedulePoll(): void {
    if (!isStopped) pollTimer ??= setTimeout(() => void poll(), pollDelayMs);
  }

  async function poll(): Promise<void> {
    pollTimer = null;
    if (!lease.isHeld()) return;
    try {
      const due = await listDueMails(db, Date.now(), pollBatchSize, lastStartedId);
      for (const id of due.filter((listed) => !inFlight.has(listed))) {
        if (isStopped || inFlight.size >= maxConcurrent) return;
        lastStartedId = id;
        const sending = handle(id).finally(() => {
          inFlight.delete(id);
          if (due.length > maxConcurrent) schedulePoll();
        });
        inFlight.set(id, sending);
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing && !isStopped) log.warn('mail.queue-failed', { error });
      isFailing = true;
    }
  }

  async function handle(id: string): Promise<void> {
    try {
      // The row is read again, because the mail may have been sent since it was listed.
      const row = await findOutgoingMail(db, id);
      if (!row || row.dueAt > Date.now()) return;
      const next = acceptedIds.has(id) ? null : await attempt(row);
      if (next) await commits.write((unitOfWork) => next.save(unitOfWork.db, next.row), 'nothing');
      else await remove(id);
    } catch (error) {
      // The row stays in the queue, and a later poll retries it.
      if (!isStopped) log.warn('mail.queue-failed', { error });
    }
  }

  /** @returns the row for the next attempt, or null if there is none */
  async function attempt({ id, content }: OutgoingMailRow): Promise<NextAttempt | null> {
    const mail = tryOpenMail(id, content);
    if (!mail) {
      log.error('mail.failed', { mailProblem: 'unreadable', retry: false });
      return null;
    }
    const { deliver, attempts, expiresAt, computeDigest, to, subject, text, unsubscribeUrl } = mail;
    if (!deliver || Date.now() > expiresAt) return null;
    if (computeDigest !== undefined) {
      if (!(await isDigestWanted(computeDigest, to))) return null;
      // Before the attempt: after a crash, the mail may have been sent. Another node may have removed it first.
      if (!(await remove(id))) return null;
    }
    try {
      await send({ to, subject, text, ...(unsubscribeUrl !== undefined && { unsubscribeUrl }) });
      acceptedIds.add(id);
      metrics.count('mails', 'sent');
      return null;
    } catch (error) {
      metrics.count('mails', 'failed');
      const backoff = backoffMinutes[attempts] ?? maxBackoffMinutes;
      const dueAt = Math.ceil((Date.now() + backoff * minuteMs) / roundToMs) * roundToMs;
      const mayRepeat = computeDigest === undefined || isSurelyUnsent(error);
      const retry = mayRepeat && !isPermanent(error) && dueAt < expiresAt;
      log.error('mail.failed', { ...toMailProblem(error), retry });
      if (!retry) return null;
      const row = { id, dueAt, content: sealMail(key, id, { ...mail, attempts: attempts + 1 }) };
      return { row, save: computeDigest === undefined ? updateOutgoingMail : insertOutgoingMail };
    }
  }

  function tryOpenMail(id: string, content: string): QueuedMail | null {
    try {
      return openMail(key, id, content);
    } catch {
      return null;
    }
  }

  /** @returns whether the mail was still there */
  async function remove(id: string): Promise<boolean> {
    const isRemoved = await commits.write(async (unitOfWork) => {
      unitOfWork.contentErased();
      return deleteOutgoingMail(unitOfWork.db, id);
    }, 'nothing');
    acceptedIds.delete(id);
    return isRemoved;
  }

  async function readState(): Promise<QueueState> {
    const now = performance.now();
    if (now >= state.validUntil) {
      const waiting = await countOutgoingMails(db, maxWaiting);
      const firstTurn = await findFirstTurn(db);
      state = { waiting, firstTurn, validUntil: now + stateIsValidMs };
      if (firstTurn === null) turns.reset();
    }
    return state;
  }

  function toRow(
    mail: Mail,
    linkExpiresAt: number,
    deliver: boolean,
    dueAt: number,
  ): OutgoingMailRow {
    const id = createRandomId();
    const expiresAt = Math.min(linkExpiresAt, Date.now() + maxWaitMs);
    return { id, dueAt, content: sealMail(key, id, { ...mail, deliver, attempts: 0, expiresAt }) };
  }

  function warnThatFull(): void {
    const now = performance.now();
    if (now < silentUntil) return;
    silentUntil = now + logEveryMs;
    log.warn('mail.queue-full');
  }

  schedulePoll();
  const timer = setInterval(schedulePoll, pollIntervalMs);

  return {
    async insertDigests({ db: tx }, digests) {
      const expiresAt = Date.now() + maxDigestWaitMs;
      for (const { accountId, mail } of digests) {
        const id = createRandomId();
        const queued = { ...mail, deliver: true, attempts: 0, expiresAt, computeDigest: accountId };
        const content = sealMail(key, id, queued);
        await insertOutgoingMail(tx, { id, dueAt: digestDueAt, content });
      }
    },
    async countWaiting(limit) {
      return countOutgoingMails(db, limit);
    },
    async enqueueInTurn(lane, mail, linkExpiresAt, deliver = true) {
      const { waiting, firstTurn } = await readState();
      const newMail = toRow(mail, linkExpiresAt, deliver, turns.take(lane, firstTurn ?? 0));
      const isFull = waiting >= maxWaiting;
      if (isFull) warnThatFull();
      await commits.write(async (unitOfWork) => {
        if (isFull) {
          if (!(await deleteMailOfLastTurn(unitOfWork.db, newMail.dueAt))) return;
          unitOfWork.contentErased();
        }
        await insertOutgoingMail(unitOfWork.db, newMail);
      }, 'nothing');
      schedulePoll();
    },
    async enqueue(mail, linkExpiresAt, deliver = true) {
      const newMail = toRow(mail, linkExpiresAt, deliver, 0);
      await commits.write((unitOfWork) => insertOutgoingMail(unitOfWork.db, newMail), 'nothing');
      schedulePoll();
    },
    async stop() {
      isStopped = true;
      clearInterval(timer);
      if (pollTimer) clearTimeout(pollTimer);
      const timeout = new AbortController();
      const { signal } = timeout;
      await Promise.race([
        Promise.all(inFlight.values()),
        sleep(stopTimeoutMs, undefined, { signal }).catch(() => {}),
      ]);
      timeout.abort();
    },
  };
}
