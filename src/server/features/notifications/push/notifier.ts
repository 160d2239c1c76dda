// Follows the log and notifies members on their devices. What was notified and not yet opened is in memory only: a row
// that is written at the moment of a message would tell a thief of the database whom the message concerned. After a
// restart, a class may notify once more; the browser then replaces the earlier notification.
import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NotifyChoice } from '#contract/notifications.ts';
import type { LogItem } from '#contract/socket.ts';
import {
  composeModeratorNews,
  composeNotification,
  type ModeratorNews,
  type NotificationServer,
} from '#server/features/notifications/compose.ts';
import {
  hasToNotify,
  isDirected,
  toNewMessages,
  deriveRecipientIds,
  type NewMessage,
} from '#server/chat/messages/new-messages.ts';
import {
  defaultNotify,
  type NotificationChoices,
} from '#server/features/notifications/settings.ts';
import { getRegisters } from '#server/store/registers.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { Deliver } from './deliver.ts';
import { createFailureCounter, type FailureCounter } from './failure-counter.ts';
import { createOpenNotifications, type OpenNotification } from './open-notifications.ts';
import { PushQueue } from './push-queue.ts';
import type { PushSubscriptions } from './subscriptions.ts';

export interface Notifier {
  /** Call this after each commit. It returns immediately. */
  onLogAppended(classId: string, items: readonly LogItem[]): void;
  /** Call this after a commit that concerns the `asker` alone: a marked answer, or news of a private question. */
  onDirected(classId: string, message: NewMessage): void;
  /** Call this for messages that another node has committed. */
  onMessages(classId: string, messages: readonly NewMessage[]): void;
  /** The account has the class in view on a device. */
  onViewed(accountId: string, classId: string): void;
  /** The class is no longer in view on one of the account's devices. */
  onViewEnded(accountId: string, classId: string): void;
  /** The account has read the class up to this seq. */
  onRead(accountId: string, classId: string, seq: number): void;
  /** Notifies the devices of a moderator or operator. */
  notifyModerator(accountId: string, news: ModeratorNews): void;
  /** The number of notifications that wait for a device, retries included. */
  countWaiting(): number;
  stop(): Promise<void>;
}

/** One notification on its way to one device. */
interface Job {
  subject: OpenNotification | ModeratorNews;
  accountId: string;
  sessionId: string;
  attempts: number;
}

const maxWaiting = 5000; // PUSH-42
const maxConcurrent = 8; // PUSH-42: of each push service
/** The turn of notifications that are about no class. */
const noClass = '';
/** How many messages of a class wait until the server has found out whom they concern. */
const maxMessages = 100;
const accountsPerTurn = 200;
const backoffMs = [5_000, 30_000, 120_000, 600_000]; // PUSH-27

export class LocalNotifier implements Notifier {
  readonly #server: NotificationServer;
  readonly #choices: NotificationChoices;
  readonly #subscriptions: PushSubscriptions;
  readonly #deliver: Deliver;
  readonly #appended = new Map<string, NewMessage[]>();
  readonly #failures: FailureCounter;
  readonly #open = createOpenNotifications();
  readonly #queue: PushQueue<Job>;
  #working: Promise<void> | null = null;
  #isStopped = false;

  constructor(
    server: NotificationServer,
    choices: NotificationChoices,
    subscriptions: PushSubscriptions,
    deliver: Deliver,
  ) {
    this.#server = server;
    this.#choices = choices;
    this.#subscriptions = subscriptions;
    this.#deliver = deliver;
    this.#failures = createFailureCounter(server.log);
    this.#queue = new PushQueue<Job>({
      maxWaiting,
      maxConcurrent,
      run: (job) => this.#run(job),
      onDropped: ({ subject }) => {
        this.#failures.countDropped(1);
        this.#end(subject);
      },
    });
  }

  onMessages(classId: string, messages: readonly NewMessage[]): void {
    // Another node has committed them, and perhaps changes of the members before.
    getRegisters(this.#server.site.keys.personas).forgetRecent('members', classId);
    this.#add(classId, messages);
  }

  #add(classId: string, messages: readonly NewMessage[]): void {
    if (this.#isStopped || messages.length === 0) return;
    const all = [...(this.#appended.get(classId) ?? []), ...messages];
    if (all.length > maxMessages) this.#failures.countDropped(all.length - maxMessages);
    this.#appended.set(classId, all.slice(-maxMessages));
    this.#working ??= this.#work();
  }

  onLogAppended(classId: string, items: readonly LogItem[]): void {
    if (!this.#subscriptions.isEmpty()) this.#add(classId, toNewMessages(items));
  }

  onDirected(classId: string, message: NewMessage): void {
    if (!this.#subscriptions.isEmpty()) this.#add(classId, [message]);
  }

  onViewed(accountId: string, classId: string): void {
    this.#open.close(accountId, classId);
  }

  /** Does nothing: each message asks the sockets. */
  onViewEnded(): void {}

  onRead(accountId: string, classId: string, seq: number): void {
    if (this.#open.isReadBy(accountId, classId, seq)) this.#open.close(accountId, classId);
  }

  notifyModerator(accountId: string, news: ModeratorNews): void {
    this.#notifyDevices(accountId, news);
  }

  countWaiting(): number {
    return this.#queue.countWaiting();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
    await this.#queue.stop();
    this.#failures.stop();
  }

  async #work(): Promise<void> {
    // The answers to the authors leave first.
    await nextTurn();
    for (;;) {
      const [next] = this.#appended;
      if (!next || this.#isStopped) break;
      const [classId, messages] = next;
      this.#appended.delete(classId);
      try {
        await this.#notifyMembers(classId, messages);
      } catch {
        this.#failures.countFailed();
      }
    }
    this.#working = null;
  }

  async #notifyMembers(classId: string, messages: readonly NewMessage[]): Promise<void> {
    const { db, site } = this.#server;
    const candidates = await this.#listCandidates(classId, messages.some(isDirected));
    const foundClass = candidates.length > 0 ? await findClass(db, classId) : null;
    if (!foundClass) return;
    for (const { accountId, notify } of candidates) {
      const ids = deriveRecipientIds(site.keys.personas, foundClass.salt, accountId, classId);
      const concerning = messages.filter((message) => hasToNotify(message, ids, notify));
      if (concerning.length > 0) this.#notifyAccount(accountId, classId, concerning);
    }
  }

  /** The members with a device who do not look at the class and chose to be notified of such messages. */
  async #listCandidates(
    classId: string,
    hasDirected: boolean,
  ): Promise<{ accountId: string; notify: NotifyChoice }[]> {
    const { db, hub, site } = this.#server;
    // The commit of the message has just read the members, and the rights are checked when the notification leaves.
    const members = await getRegisters(site.keys.personas).readRecent(db, 'members', classId);
    const candidates = [];
    let checkedCount = 0;
    for (const [accountId, { notify = defaultNotify }] of members) {
      if (++checkedCount % accountsPerTurn === 0) await nextTurn();
      if (notify === 'none' || (notify === 'mentions' && !hasDirected)) continue;
      if (this.#subscriptions.has(accountId) && !hub.isViewing(accountId, classId)) {
        candidates.push({ accountId, notify });
      }
    }
    return candidates;
  }

  #notifyAccount(accountId: string, classId: string, messages: readonly NewMessage[]): void {
    const notification = this.#open.add(accountId, classId, messages);
    if (notification) this.#notifyDevices(accountId, notification);
  }

  #notifyDevices(accountId: string, subject: Job['subject']): void {
    for (const sessionId of this.#subscriptions.listSessions(accountId)) {
      if (!isNews(subject)) this.#open.begin(subject);
      // Each device waits on its own: devices that are notified together would show that they have one owner.
      this.#enqueue(
        { subject, accountId, sessionId, attempts: 0 },
        randomInt(this.#server.config.push.maxDelayMs + 1),
      );
    }
  }

  #enqueue(job: Job, delayMs: number): void {
    const lane = this.#subscriptions.getService(job.sessionId);
    const group = isNews(job.subject) ? noClass : job.subject.classId;
    this.#queue.add(job, delayMs, { lane, group });
  }

  async #run(job: Job): Promise<void> {
    let retryAfterMs: number | null = null;
    try {
      retryAfterMs = await this.#attempt(job);
    } catch {
      this.#failures.countFailed();
      retryAfterMs = 0;
    }
    const backoff = backoffMs[job.attempts];
    if (retryAfterMs === null || backoff === undefined || this.#isStopped) {
      this.#end(job.subject);
      return;
    }
    const delayMs = Math.max(retryAfterMs, backoff * (0.5 + Math.random() / 2));
    this.#enqueue({ ...job, attempts: job.attempts + 1 }, delayMs);
  }

  /** @returns the minimum wait before another attempt; null if there is none */
  async #attempt({ subject, accountId, sessionId }: Job): Promise<number | null> {
    const isOutdated = () => !isNews(subject) && !this.#open.isOpen(subject);
    if (isOutdated()) return null;
    const content = isNews(subject)
      ? await composeModeratorNews(this.#server, this.#choices, accountId, subject)
      : await composeNotification(this.#server, this.#choices, subject, subject.messages);
    if (!content || isOutdated()) return null;
    const close = this.#open.listOutdated(sessionId, content.classId);
    const outcome = await this.#deliver(sessionId, { ...content, close });
    if (outcome?.kind === 'accepted') {
      this.#server.metrics.count('pushes', 'sent');
      this.#open.setClosed(sessionId, close);
      if (!isNews(subject)) this.#open.setShown(subject, sessionId);
    }
    if (outcome?.kind === 'failed' || outcome?.kind === 'rejected') {
      this.#server.metrics.count('pushes', 'failed');
      this.#failures.countFailed(outcome.status);
    }
    return outcome?.kind === 'failed' ? (outcome.retryAfterMs ?? 0) : null;
  }

  #end(subject: Job['subject']): void {
    if (!isNews(subject)) this.#open.end(subject);
  }
}

function isNews(subject: Job['subject']): subject is ModeratorNews {
  return typeof subject === 'string';
}
