// Delivers a notification to one device, under a topic that tells the push service nothing.
import { createHmac, type KeyObject } from 'node:crypto';
import type { PushPayload } from '#contract/notifications.ts';
import { getToday } from '#server/base/days.ts';
import type { PushOutcome, SendPush } from './push-service.ts';
import type { PushSubscriptions } from './subscriptions.ts';

/** Resolves to null if the device has no subscription any more. */
export type Deliver = (sessionId: string, payload: PushPayload) => Promise<PushOutcome | null>;

export function createDelivery(
  subscriptions: PushSubscriptions,
  send: SendPush,
  topicKey: KeyObject,
): Deliver {
  /**
   * A push service replaces a notification that the browser has not fetched yet by the next one of the same topic. The
   * topic of a class is another one on each device and each day, so that no one can follow a class by its topic.
   */
  function deriveTopic(sessionId: string, { classId, work }: PushPayload): string {
    // Waiting work must not replace a report of a threat.
    const subject = classId ?? (work ? 'work' : '');
    const hmac = createHmac('sha256', topicKey).update(`${sessionId} ${subject} ${getToday()}`);
    return hmac.digest('base64url').slice(0, 24);
  }

  return async (sessionId, payload) => {
    const subscription = await subscriptions.find(sessionId);
    if (!subscription) return null;
    const topic = deriveTopic(sessionId, payload);
    const outcome = await send(subscription, JSON.stringify(payload), topic);
    if (outcome.kind === 'gone') subscriptions.markGone(sessionId);
    return outcome;
  };
}
