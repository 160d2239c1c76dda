// Follows the log and notifies members on their devices. What was notified and not yet opened is in memory only: a row
// that is written at the moment of a message would tell a thief of the database whom the message concerned. After a
// restart, a class may notify once more; the browser then replaces the earlier notification.
import { randomInt, type KeyObject } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogItem } from '#contract/socket.ts';
import type { Composed } from '#server/features/notifications/compose.ts';
import {
  hasToNotify,
  isDirected,
  toNewMessages,
  deriveOwnIds,
  type NewMessage,
} from '#server/chat/messages/new-messages.ts';
import type { NotificationChoices } from '#server/features/notifications/settings.ts';
import type { Log } from '#server/base/log.ts';
import type { WorkCounter } from '#server/base/metrics.ts';
import type { Database } from '#server/store/tables.ts';
import { findClass } from '#server/chat/classes/classes-queries.ts';
import type { Deliver } from './deliver.ts';
import { createFailureCounter } from './failure-counter.ts';
import { createOpenNotifications, type OpenNotification } from './open-notifications.ts';
import { createPushQueue } from './push-queue.ts';
import type { PushSubscriptions } from './subscriptions.ts';

export interface Notifier {
  /** Call this after each commit. It returns immediately. */
  onLogAppended(classId: string, items: readonly LogItem[]): void;
  /** Call this for messages that another node has committed. */
  onMessages(classId: string, messages: readonly NewMessage[]): void;
  /** The account has the class in view on a device. */
  onViewed(accountId: string, classId: string): void;
  /** The class is no longer in view on one of the account's devices. */
  onViewEnded(accountId: string, classId: string): void;
  /** The account has read the class up to this seq. */
  onRead(accountId: string, classId: string, seq: number): void;
  /** A member reported a threat: notifies the devices of this operator. */
  onThreatReported(accountId: string): void;
  /** The number of notifications that wait for a device, retries included. */
  countWaiting(): number;
  stop(): Promise<void>;
}

interface Dependencies {
  db: Database;
  personaKey: KeyObject;
  choices: Pick<NotificationChoices, 'getChoices'>;
  subscriptions: Pick<PushSubscriptions, 'has' | 'listSessions' | 'getService' | 'isEmpty'>;
  isViewing(accountId: string, classId: string): boolean;
  compose(
    to: { accountId: string; classId: string },
    messages: readonly NewMessage[],
  ): Promise<Composed | null>;
  composeThreat(accountId: string): Promise<Composed | null>;
  deliver: Deliver;
  maxDelayMs: number;
  log: Log;
  metrics: Pick<WorkCounter, 'count'>;
}

/** One notification on its way to one device. */
interface Job {
  /** Null for a report of a threat. */
  notification: OpenNotification | null;
  accountId: string;
  sessionId: string;
  attempts: number;
}

const maxWaiting = 5000; // PUSH-42
const maxConcurrent = 8; // PUSH-42: of each push service
/** The turn of notifications that are about no class. */
const threats = '';
/** How many messages of a class wait until the server has found out whom they concern. */
const maxMessages = 100;
const accountsPerTurn = 200;
const backoffMs = [5_000, 30_000, 120_000, 600_000]; // PUSH-27

export function createNotifier(dependencies: Dependencies): Notifier {
  const { db, personaKey, choices, subscriptions, isViewing, deliver, metrics } = dependencies;
  const appended = new Map<string, NewMessage[]>();
  const failures = createFailureCounter(dependencies.log);
  const open = createOpenNotifications();
  const queue = createPushQueue<Job>({
    maxWaiting,
    maxConcurrent,
    run,
    onDropped({ notification }) {
      failures.countDropped(1);
      if (notification) open.end(notification);
    },
  });
  let working: Promise<void> | null = null;
  let isStopped = false;

  async function work(): Promise<void> {
    // The answers to the authors leave first.
    await nextTurn();
    for (;;) {
      const [next] = appended;
      if (!next || isStopped) break;
      const [classId, messages] = next;
      appended.delete(classId);
      try {
        await notifyMembers(classId, messages);
      } catch {
        failures.countFailed();
      }
    }
    working = null;
  }

  async function notifyMembers(classId: string, messages: readonly NewMessage[]): Promise<void> {
    const foundClass = await findClass(db, classId);
    if (!foundClass) return;
    const hasDirected = messages.some(isDirected);
    let checkedCount = 0;
    for (const [accountId, notify] of await choices.getChoices(classId)) {
      if (++checkedCount % accountsPerTurn === 0) await nextTurn();
      if (notify === 'none' || (notify === 'mentions' && !hasDirected)) continue;
      if (!subscriptions.has(accountId) || isViewing(accountId, classId)) continue;
      const ownIds = deriveOwnIds(personaKey, foundClass.salt, accountId, classId);
      const concerning = messages.filter((message) => hasToNotify(message, ownIds, notify));
      if (concerning.length > 0) notifyAccount(accountId, classId, concerning);
    }
  }

  function notifyAccount(
    accountId: string,
    classId: string,
    messages: readonly NewMessage[],
  ): void {
    const notification = open.add(accountId, classId, messages);
    if (notification) notifyDevices(accountId, notification);
  }

  function notifyDevices(accountId: string, notification: OpenNotification | null): void {
    for (const sessionId of subscriptions.listSessions(accountId)) {
      if (notification) open.begin(notification);
      // Each device waits on its own: devices that are notified together would show that they have one owner.
      enqueue(
        { notification, accountId, sessionId, attempts: 0 },
        randomInt(dependencies.maxDelayMs + 1),
      );
    }
  }

  function enqueue(job: Job, delayMs: number): void {
    const lane = subscriptions.getService(job.sessionId);
    queue.add(job, delayMs, { lane, group: job.notification?.classId ?? threats });
  }

  async function run(job: Job): Promise<void> {
    let retryAfterMs: number | null = null;
    try {
      retryAfterMs = await attempt(job);
    } catch {
      failures.countFailed();
      retryAfterMs = 0;
    }
    const backoff = backoffMs[job.attempts];
    if (retryAfterMs === null || backoff === undefined || isStopped) {
      if (job.notification) open.end(job.notification);
      return;
    }
    const delayMs = Math.max(retryAfterMs, backoff * (0.5 + Math.random() / 2));
    enqueue({ ...job, attempts: job.attempts + 1 }, delayMs);
  }

  /** @returns the minimum wait before another attempt; null if there is none */
  async function attempt({ notification, accountId, sessionId }: Job): Promise<number | null> {
    const isOutdated = () => notification !== null && !open.isOpen(notification);
    if (isOutdated()) return null;
    const content = notification
      ? await dependencies.compose(notification, notification.messages)
      : await dependencies.composeThreat(accountId);
    if (!content || isOutdated()) return null;
    const close = open.listOutdated(sessionId, content.classId);
    const outcome = await deliver(sessionId, { ...content, close });
    if (outcome?.kind === 'accepted') {
      metrics.count('pushes', 'sent');
      open.setClosed(sessionId, close);
      if (notification) open.setShown(notification, sessionId);
    }
    if (outcome?.kind === 'failed' || outcome?.kind === 'rejected') {
      metrics.count('pushes', 'failed');
      failures.countFailed(outcome.status);
    }
    return outcome?.kind === 'failed' ? (outcome.retryAfterMs ?? 0) : null;
  }

  function onMessages(classId: string, messages: readonly NewMessage[]): void {
    if (isStopped || messages.length === 0) return;
    const all = [...(appended.get(classId) ?? []), ...messages];
    if (all.length > maxMessages) failures.countDropped(all.length - maxMessages);
    appended.set(classId, all.slice(-maxMessages));
    working ??= work();
  }

  return {
    onLogAppended(classId, items) {
      if (!subscriptions.isEmpty()) onMessages(classId, toNewMessages(items));
    },
    onMessages,
    onViewed: open.close,
    // Each message asks the sockets.
    onViewEnded() {},
    onRead(accountId, classId, seq) {
      if (open.isReadBy(accountId, classId, seq)) open.close(accountId, classId);
    },
    onThreatReported: (accountId) => notifyDevices(accountId, null),
    countWaiting: queue.countWaiting,
    async stop() {
      isStopped = true;
      await working;
      await queue.stop();
      failures.stop();
    },
  };
}
