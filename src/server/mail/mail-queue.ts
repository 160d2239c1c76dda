// The queue of outgoing mails. A mail stays in the database until the mail server accepts it or its link expires.
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
import {
  isOutage,
  isPermanent,
  isSenderRejected,
  isSurelyUnsent,
  toMailProblem,
} from './mail-problem.ts';
import { sealMail, tryToOpenMail } from './mail-seal.ts';
import { listWaitingMails, makeMailsDue } from './waiting-mails.ts';

/**
 * Queues a mail that anyone can cause.
 *
 * @param network the network that causes the mail; null if the caller has proved to be the recipient
 */
export type EnqueuePublicMail = (
  network: string | null,
  mail: Mail,
  linkExpiresAt: number,
  deliver?: boolean,
) => Promise<void>;

export interface Digest {
  accountId: string;
  mail: Mail;
}

interface Dependencies {
  db: Database;
  commits: CommitQueue;
  key: KeyObject;
  send: SendMail;
  /** Tells, just before a digest is sent, whether the account still wants it, and has this address. */
  isDigestWanted(accountId: string, address: string): Promise<boolean>;
  /** Tells whether the address gets no mails. */
  isBlocked(address: string): Promise<boolean>;
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
/** The delay of all attempts after those in `backoffMinutes`. */
const maxBackoffMinutes = 240;
/** Stored times are rounded up to a multiple of this. */
const roundToMs = 5 * minuteMs;
const maxWaitMs = 24 * 60 * minuteMs; // MAIL-1
/** A digest expires early, so that it does not arrive together with the digest of the next day. */
const maxDigestWaitMs = 6 * 60 * minuteMs; // DIGEST-6
const pollIntervalMs = 5_000;
/** A short delay, so that the HTTP response leaves before the work of sending a mail. */
const pollDelayMs = 50;
const maxConcurrent = 5;
/** More mails than a lecture hall causes that signs up while the mail server is slow. They need 22 MB. */
const maxWaiting = 5_000; // MAIL-13
const stateIsValidMs = 1_000;
const logIntervalMs = 60 * minuteMs;
const pollBatchSize = 50;
const stopTimeoutMs = 5_000;

export class MailQueue {
  readonly #dependencies: Dependencies;
  readonly #db: Database;
  readonly #commits: CommitQueue;
  readonly #key: KeyObject;
  readonly #log: Log;
  readonly #turns = createMailTurns();
  readonly #pollInterval: NodeJS.Timeout;
  #pollTimer: NodeJS.Timeout | null = null;
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Ids of mails that the mail server accepted, but whose rows could not be deleted yet. */
  readonly #acceptedIds = new Set<string>();
  #lastStartedId = '';
  #state: QueueState = { waiting: 0, firstTurn: null, validUntil: -Infinity };
  #nextWarningAt = -Infinity;
  #isFailing = false;
  /** What the last attempt or check told. At first, mails of an outage before the start may wait. */
  #mailServer: 'unknown' | 'usable' | 'down' | 'rejects sender' = 'unknown';
  #isStopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#db = dependencies.db;
    this.#commits = dependencies.commits;
    this.#key = dependencies.key;
    this.#log = dependencies.log;
    this.#schedulePoll();
    this.#pollInterval = setInterval(() => this.#schedulePoll(), pollIntervalMs);
  }

  /**
   * Queues digests behind all other new mails, in a commit of the caller. Each digest is sent at most once: there is no second
   * attempt unless it is certain that the first one failed.
   */
  async insertDigests({ db: tx }: UnitOfWork, digests: readonly Digest[]): Promise<void> {
    const expiresAt = Date.now() + maxDigestWaitMs;
    for (const { accountId, mail } of digests) {
      const id = createRandomId();
      const queuedMail = {
        ...mail,
        deliver: true,
        attempts: 0,
        expiresAt,
        digestOf: accountId,
      };
      const content = sealMail(this.#key, id, queuedMail);
      await insertOutgoingMail(tx, { id, dueAt: digestDueAt, content });
    }
  }

  /** Whether the mail server cannot be used, or takes no mail from `MAIL_FROM`. */
  isFailing(): boolean {
    return this.#mailServer === 'down' || this.#mailServer === 'rejects sender';
  }

  /** Learns whether the mail server accepts a connection and the user. Only a mail shows whether it accepts the sender. */
  noteCheck(isUsable: boolean): void {
    if (!isUsable) this.#mailServer = 'down';
    else if (this.#mailServer !== 'rejects sender') this.#noteUsable();
  }

  /** Counts the queued mails, up to a limit. */
  async countWaiting(limit: number): Promise<number> {
    return countOutgoingMails(this.#db, limit);
  }

  /** Queues a mail that anyone can cause. Lanes take turns. If the queue is full, a mail of the last turn is dropped. */
  async enqueueInTurn(
    lane: string,
    mail: Mail,
    linkExpiresAt: number,
    deliver = true,
  ): Promise<void> {
    const { waiting, firstTurn } = await this.#getState();
    const newMail = this.#toRow(
      mail,
      linkExpiresAt,
      deliver,
      this.#turns.take(lane, firstTurn ?? 0),
    );
    const isFull = waiting >= maxWaiting;
    if (isFull) this.#warnThatFull();
    await this.#commits.write(async (unitOfWork) => {
      if (isFull) {
        if (!(await deleteMailOfLastTurn(unitOfWork.db, newMail.dueAt))) return;
        unitOfWork.contentErased();
      }
      await insertOutgoingMail(unitOfWork.db, newMail);
    }, 'independent');
    this.#schedulePoll();
  }

  /**
   * Queues a mail, and resolves when it is in the database. No request waits until the mail is sent, because the duration would
   * reveal whether an address has an account.
   */
  async enqueue(mail: Mail & { isUrgent?: boolean }, linkExpiresAt: number): Promise<void> {
    const newMail = this.#toRow(mail, linkExpiresAt, true, 0);
    await this.#commits.write(
      (unitOfWork) => insertOutgoingMail(unitOfWork.db, newMail),
      'independent',
    );
    this.#schedulePoll();
  }

  /** Stops sending. Queued mails stay for the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#pollInterval);
    if (this.#pollTimer) clearTimeout(this.#pollTimer);
    const timeout = new AbortController();
    const { signal } = timeout;
    await Promise.race([
      Promise.all(this.#inFlight.values()),
      sleep(stopTimeoutMs, undefined, { signal }).catch(() => {}),
    ]);
    timeout.abort();
  }

  #schedulePoll(): void {
    if (!this.#isStopped) this.#pollTimer ??= setTimeout(() => void this.#poll(), pollDelayMs);
  }

  async #poll(): Promise<void> {
    this.#pollTimer = null;
    if (!this.#dependencies.lease.isHeld()) return;
    try {
      const dueIds = await listDueMails(this.#db, Date.now(), pollBatchSize, this.#lastStartedId);
      for (const id of dueIds.filter((dueId) => !this.#inFlight.has(dueId))) {
        if (this.#isStopped || this.#inFlight.size >= maxConcurrent) return;
        this.#lastStartedId = id;
        const handling = this.#handle(id).finally(() => {
          this.#inFlight.delete(id);
          if (dueIds.length > maxConcurrent) this.#schedulePoll();
        });
        this.#inFlight.set(id, handling);
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing && !this.#isStopped) this.#log.warn('mail.queue-failed', { error });
      this.#isFailing = true;
    }
  }

  async #handle(id: string): Promise<void> {
    try {
      // The row is read again, because the mail may have been sent since it was listed.
      const row = await findOutgoingMail(this.#db, id);
      if (!row || row.dueAt > Date.now()) return;
      const next = this.#acceptedIds.has(id) ? null : await this.#attempt(row);
      if (next) {
        await this.#commits.write(
          (unitOfWork) => next.save(unitOfWork.db, next.row),
          'independent',
        );
      } else await this.#remove(id);
    } catch (error) {
      // The row stays in the queue, and a later poll retries it.
      if (!this.#isStopped) this.#log.warn('mail.queue-failed', { error });
    }
  }

  /** @returns the row for the next attempt, or null if there is none */
  async #attempt(waitingRow: OutgoingMailRow): Promise<NextAttempt | null> {
    const { id } = waitingRow;
    const mail = tryToOpenMail(this.#key, waitingRow);
    if (!mail) {
      this.#log.error('mail.failed', { mailProblem: 'unreadable', retry: false });
      return null;
    }
    const { deliver, attempts, expiresAt, digestOf, to, subject, text, unsubscribeUrl } = mail;
    if (!deliver || Date.now() > expiresAt || (await this.#dependencies.isBlocked(to))) return null;
    if (digestOf !== undefined) {
      if (!(await this.#dependencies.isDigestWanted(digestOf, to))) return null;
      // The row is removed before the attempt, because after a crash no one would know whether the mail was sent. If another node
      // has removed the row first, that node sends the mail.
      if (!(await this.#remove(id))) return null;
    }
    try {
      await this.#dependencies.send({
        to,
        subject,
        text,
        ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
      });
      this.#acceptedIds.add(id);
      this.#noteUsable();
      this.#dependencies.metrics.count('mails', 'sent');
      return null;
    } catch (error) {
      this.#dependencies.metrics.count('mails', 'failed');
      const isDelayedByOutage = isOutage(error);
      if (isDelayedByOutage) this.#mailServer = 'down';
      else if (isSenderRejected(error)) this.#mailServer = 'rejects sender';
      const backoff = backoffMinutes[attempts] ?? maxBackoffMinutes;
      const dueAt = Math.ceil((Date.now() + backoff * minuteMs) / roundToMs) * roundToMs;
      const mayRepeat = digestOf === undefined || isSurelyUnsent(error);
      const retry = mayRepeat && !isPermanent(error) && dueAt < expiresAt;
      this.#log.error('mail.failed', { ...toMailProblem(error), retry });
      if (!retry) return null;
      const nextMail = { ...mail, attempts: attempts + 1, isDelayedByOutage };
      const row = { id, dueAt, content: sealMail(this.#key, id, nextMail) };
      return { row, save: digestOf === undefined ? updateOutgoingMail : insertOutgoingMail };
    }
  }

  /** After an outage, the mails that it delayed leave now. */
  #noteUsable(): void {
    if (this.#mailServer === 'usable') return;
    this.#mailServer = 'usable';
    if (!this.#dependencies.lease.isHeld()) return;
    void this.#sendDelayedMails().catch((error: unknown) => {
      // The mails leave at the time of their next attempt.
      if (!this.#isStopped) this.#log.warn('mail.queue-failed', { error });
    });
  }

  async #sendDelayedMails(): Promise<void> {
    const delayedMails = (await listWaitingMails(this.#db, this.#key)).filter(
      ({ nextAttemptAt, isDelayedByOutage }) => nextAttemptAt !== null && isDelayedByOutage,
    );
    if (delayedMails.length === 0) return;
    await this.#commits.write(({ db }) => makeMailsDue(db, delayedMails), 'independent');
    this.#schedulePoll();
  }

  /** @returns whether the mail was still there */
  async #remove(id: string): Promise<boolean> {
    const isRemoved = await this.#commits.write(async (unitOfWork) => {
      unitOfWork.contentErased();
      return deleteOutgoingMail(unitOfWork.db, id);
    }, 'independent');
    this.#acceptedIds.delete(id);
    return isRemoved;
  }

  async #getState(): Promise<QueueState> {
    const now = performance.now();
    if (now >= this.#state.validUntil) {
      const waiting = await countOutgoingMails(this.#db, maxWaiting);
      const firstTurn = await findFirstTurn(this.#db);
      this.#state = { waiting, firstTurn, validUntil: now + stateIsValidMs };
      if (firstTurn === null) this.#turns.reset();
    }
    return this.#state;
  }

  #toRow(mail: Mail, linkExpiresAt: number, deliver: boolean, dueAt: number): OutgoingMailRow {
    const id = createRandomId();
    const expiresAt = Math.min(linkExpiresAt, Date.now() + maxWaitMs);
    return {
      id,
      dueAt,
      content: sealMail(this.#key, id, { ...mail, deliver, attempts: 0, expiresAt }),
    };
  }

  #warnThatFull(): void {
    const now = performance.now();
    if (now < this.#nextWarningAt) return;
    this.#nextWarningAt = now + logIntervalMs;
    this.#log.warn('mail.queue-full');
  }
}
