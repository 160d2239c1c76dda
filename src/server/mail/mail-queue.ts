// Mails stay in the database until the mail server accepts them or their links expire.
import type { KeyObject } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { randomId } from '../random-id.ts';
import type { CommitQueue } from '../storage/commit-queue.ts';
import type { Database } from '../storage/database.ts';
import {
  deleteOutgoingMail,
  findOutgoingMail,
  insertOutgoingMail,
  listDueMails,
  listOutgoingMails,
  updateOutgoingMail,
  type OutgoingMailRow,
} from '../storage/queries/outgoing-mails.ts';
import type { Mail, SendMail } from './mail.ts';
import { isPermanent, mailProblemOf } from './mail-problem.ts';
import { openMail, sealMail, type QueuedMail } from './mail-seal.ts';

/**
 * Resolves when the mail is in the database. No request waits for sending, because its duration would
 * reveal whether an address has an account.
 *
 * @param deliver if false, the row looks the same but is not sent
 */
export type EnqueueMail = (mail: Mail, expiresAt: number, deliver?: boolean) => Promise<void>;

export interface MailQueue {
  post: EnqueueMail;
  /** Deletes the queued mails to this address. */
  forget(address: string): Promise<void>;
  /** Stops sending. Queued mails stay for the next start. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  commits: CommitQueue;
  key: KeyObject;
  send: SendMail;
  log: Log;
}

const minuteMs = 60_000;
const backoffMinutes = [1, 5, 15, 30, 60, 120]; // MAIL-1
/** The delay after those in `backoffMinutes`. */
const maxBackoffMinutes = 240;
/** Stored times are rounded up to a multiple of this. */
const roundToMs = 5 * minuteMs;
const maxWaitMs = 24 * 60 * minuteMs; // MAIL-1
const pollIntervalMs = 5_000;
/** Delays the work of making a mail, so that the HTTP response leaves first. */
const laterMs = 50;
const maxConcurrent = 5;
const maxListed = 50;
const stopWithinMs = 5_000;

export function createMailQueue({ db, commits, key, send, log }: Parts): MailQueue {
  const underWay = new Map<string, Promise<void>>();
  /** Ids of mails that the mail server took, but whose rows could not be deleted yet. */
  const taken = new Set<string>();
  let stopped = false;
  let failing = false;
  let wakeUp: NodeJS.Timeout | null = null;

  function soon(): void {
    if (!stopped) wakeUp ??= setTimeout(() => void poll(), laterMs);
  }

  async function poll(): Promise<void> {
    wakeUp = null;
    try {
      const due = await listDueMails(db, Date.now(), maxListed);
      for (const id of due.filter((listed) => !underWay.has(listed))) {
        if (stopped || underWay.size >= maxConcurrent) return;
        const working = handle(id).finally(() => {
          underWay.delete(id);
          if (due.length > maxConcurrent) soon();
        });
        underWay.set(id, working);
      }
      failing = false;
    } catch (error) {
      if (!failing && !stopped) log.warn('mail.queue-failed', { error });
      failing = true;
    }
  }

  async function handle(id: string): Promise<void> {
    try {
      // The row is read again, because the mail may have been sent since it was listed.
      const row = await findOutgoingMail(db, id);
      if (!row || row.dueAt > Date.now()) return;
      const next = taken.has(id) ? null : await attempt(row);
      if (next) await commits.write((write) => updateOutgoingMail(write.db, next));
      else await remove(id);
    } catch (error) {
      // The row stays in the queue, and a later poll retries it.
      if (!stopped) log.warn('mail.queue-failed', { error });
    }
  }

  /** @returns the row for the next attempt, or null if there is none */
  async function attempt({ id, content }: OutgoingMailRow): Promise<OutgoingMailRow | null> {
    const mail = openOrNull(id, content);
    if (!mail) {
      log.error('mail.failed', { mailProblem: 'unreadable', retry: false });
      return null;
    }
    const { deliver, attempts, expiresAt, to, subject, text } = mail;
    if (!deliver || Date.now() > expiresAt) return null;
    try {
      await send({ to, subject, text });
      taken.add(id);
      return null;
    } catch (error) {
      const minutes = backoffMinutes[attempts] ?? maxBackoffMinutes;
      const dueAt = Math.ceil((Date.now() + minutes * minuteMs) / roundToMs) * roundToMs;
      const retry = !isPermanent(error) && dueAt < expiresAt;
      log.error('mail.failed', { ...mailProblemOf(error), retry });
      if (!retry) return null;
      return { id, dueAt, content: sealMail(key, id, { ...mail, attempts: attempts + 1 }) };
    }
  }

  function openOrNull(id: string, content: string): QueuedMail | null {
    try {
      return openMail(key, id, content);
    } catch {
      return null;
    }
  }

  async function remove(id: string): Promise<void> {
    await commits.write(async (write) => {
      await deleteOutgoingMail(write.db, id);
      write.erases();
    });
    taken.delete(id);
  }

  soon();
  const timer = setInterval(soon, pollIntervalMs);

  return {
    async post(mail, linkExpiresAt, deliver = true) {
      const id = randomId();
      const expiresAt = Math.min(linkExpiresAt, Date.now() + maxWaitMs);
      const content = sealMail(key, id, { ...mail, deliver, attempts: 0, expiresAt });
      await commits.write((write) => insertOutgoingMail(write.db, { id, dueAt: 0, content }));
      soon();
    },
    async forget(address) {
      for (const { id, content } of await listOutgoingMails(db)) {
        if (openOrNull(id, content)?.to === address) await remove(id);
      }
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      if (wakeUp) clearTimeout(wakeUp);
      const patience = new AbortController();
      const { signal } = patience;
      await Promise.race([
        Promise.all(underWay.values()),
        sleep(stopWithinMs, undefined, { signal }).catch(() => {}),
      ]);
      patience.abort();
    },
  };
}
