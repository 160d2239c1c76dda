// The classes that this socket subscribes to, and the position from which each continues.
import { limits } from '#contract/limits.ts';
import type { ClientFrame } from '#contract/socket.ts';
import type { LogReplica } from './log-replica.ts';
import type { Requests } from './requests.ts';

export interface Subscriptions {
  /** A connection opened to a server with this history. */
  start(epoch: string): void;
  stop(): void;
  /** Makes the subscriptions match `wanted()`. */
  update(): void;
  /** Requests the missing entries after a gap in the log. */
  resume(classId: string): void;
}

interface Parts {
  requests: Pick<Requests, 'ask'>;
  send(frame: ClientFrame): void;
  /** Most important first, because a socket has a subscription limit. */
  wanted(): readonly string[];
  toReplica(classId: string): LogReplica | null;
  /** The replica has caught up with the server. */
  onLevel(classId: string): void;
  /** The user is not a member, or no longer one. */
  onClosed(classId: string): void;
}

export function createSubscriptions(parts: Parts): Subscriptions {
  const { requests, send, wanted, toReplica, onLevel, onClosed } = parts;
  let epoch: string | null = null;
  const following = new Set<string>();
  /** Classes with a pending request. `true`: a gap was seen meanwhile. */
  const catchingUp = new Map<string, boolean>();

  async function subscribe(classId: string): Promise<void> {
    following.add(classId);
    catchingUp.set(classId, false);
    const answer = await requests.ask({ type: 'subscribe', classId, ...resumeFrom(classId) });
    if (!following.has(classId) || answer.kind === 'lost') return;
    const holed = catchingUp.get(classId) === true;
    catchingUp.delete(classId);
    if (answer.kind === 'done') {
      if (holed && (toReplica(classId)?.seq ?? 0) < answer.seq) void subscribe(classId);
      else onLevel(classId);
      return;
    }
    if (answer.retryInMs === null) {
      following.delete(classId);
      if (answer.refusal.code === 'NOT_FOUND') onClosed(classId);
      return;
    }
    const during = epoch;
    await new Promise((resolve) => setTimeout(resolve, answer.retryInMs ?? 0));
    if (epoch === during && following.has(classId)) void subscribe(classId);
  }

  function resumeFrom(classId: string) {
    const held = toReplica(classId);
    if (!held || held.epoch !== epoch) return {};
    return { epoch, after: held.seq, ...(held.lastId && { afterId: held.lastId }) };
  }

  function update(): void {
    if (epoch === null) return;
    const next = wanted().slice(0, limits.classesPerSocket);
    for (const classId of following) {
      if (next.includes(classId)) continue;
      following.delete(classId);
      catchingUp.delete(classId);
      send({ type: 'unsubscribe', classId });
    }
    for (const classId of next) if (!following.has(classId)) void subscribe(classId);
  }

  return {
    start(current) {
      epoch = current;
      update();
    },
    stop() {
      epoch = null;
      following.clear();
      catchingUp.clear();
    },
    update,
    resume(classId) {
      if (catchingUp.has(classId)) catchingUp.set(classId, true);
      else if (following.has(classId)) void subscribe(classId);
    },
  };
}
