// The classes that this socket subscribes to, and the position from which each continues. A class that is not on
// screen has a light subscription: the server sends its unread count instead of its messages.
import { limits } from '#contract/limits.ts';
import type { Sanction } from '#contract/entities.ts';
import type { ClientFrame } from '#contract/socket.ts';
import type { LogReplica } from './log-replica.ts';
import type { Requests } from './requests.ts';

export interface WantedClass {
  classId: string;
  isLight: boolean;
}

export interface Subscriptions {
  /** A connection opened to a server with this history. */
  start(epoch: string): void;
  stop(): void;
  /** Makes the subscriptions match `listWantedClasses()`. */
  update(): void;
  /** Requests the missing entries after a gap in the log, or the unread count of a light subscription. */
  resume(classId: string): void;
}

interface Dependencies {
  requests: Pick<Requests, 'send'>;
  send(frame: ClientFrame): void;
  /** Most important first, because a socket has a subscription limit. */
  listWantedClasses(): readonly WantedClass[];
  findReplica(classId: string): LogReplica | null;
  /** Called before each request. */
  onSubscribe(classId: string): void;
  /** The viewer is not a member, or no longer one. */
  onClosed(classId: string): void;
  /** A moderator removed the viewer from the class. */
  onRemoved(classId: string, sanction: Sanction): void;
}

interface Subscription {
  isLight: boolean;
  isPending: boolean;
  /** A gap was seen while the request was pending. */
  hasGap: boolean;
}

export function createSubscriptions(dependencies: Dependencies): Subscriptions {
  const { requests, send, listWantedClasses, findReplica, onSubscribe, onClosed, onRemoved } =
    dependencies;
  let epoch: string | null = null;
  const subscriptions = new Map<string, Subscription>();

  async function subscribe(classId: string, isLight: boolean): Promise<void> {
    const subscription: Subscription = { isLight, isPending: true, hasGap: false };
    subscriptions.set(classId, subscription);
    onSubscribe(classId);
    const range = isLight ? ({ light: true } as const) : toResumePoint(classId);
    const result = await requests.send({ type: 'subscribe', classId, ...range });
    if (subscriptions.get(classId) !== subscription || result.kind === 'noResponse') return;
    subscription.isPending = false;
    if (result.kind === 'done') {
      const isBehind = (findReplica(classId)?.seq ?? 0) < result.seq;
      if (!isLight && subscription.hasGap && isBehind) void subscribe(classId, isLight);
      return;
    }
    if (result.retryDelayMs === null) {
      subscriptions.delete(classId);
      const { code, sanction } = result.error;
      if (code === 'NOT_FOUND') onClosed(classId);
      if (code === 'REMOVED_FROM_CLASS' && sanction) onRemoved(classId, sanction);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, result.retryDelayMs ?? 0));
    if (subscriptions.get(classId) === subscription) void subscribe(classId, isLight);
  }

  function toResumePoint(classId: string) {
    const replica = findReplica(classId);
    if (!replica || replica.epoch !== epoch) return {};
    return { epoch, after: replica.seq, ...(replica.lastId && { afterId: replica.lastId }) };
  }

  function update(): void {
    if (epoch === null) return;
    const wantedClasses = listWantedClasses().slice(0, limits.classesPerSocket);
    const wantedIds = new Set(wantedClasses.map(({ classId }) => classId));
    for (const classId of subscriptions.keys()) {
      if (wantedIds.has(classId)) continue;
      subscriptions.delete(classId);
      send({ type: 'unsubscribe', classId });
    }
    for (const { classId, isLight } of wantedClasses) {
      if (subscriptions.get(classId)?.isLight !== isLight) void subscribe(classId, isLight);
    }
  }

  return {
    start(serverEpoch) {
      epoch = serverEpoch;
      update();
    },
    stop() {
      epoch = null;
      subscriptions.clear();
    },
    update,
    resume(classId) {
      const subscription = subscriptions.get(classId);
      if (subscription?.isPending) subscription.hasGap = true;
      else if (subscription) void subscribe(classId, subscription.isLight);
    },
  };
}
