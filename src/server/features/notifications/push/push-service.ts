// Sends one notification to the push service of one browser.
import type { PushSubscription } from '#contract/notifications.ts';
import { encryptPayload } from './encrypt-payload.ts';
import type { VapidKeys } from './vapid.ts';

/**
 * What became of a notification. `gone`: the subscription does not exist any more. `refused`: the service will never
 * accept this notification.
 */
export type PushOutcome =
  | { kind: 'accepted' | 'gone' | 'rejected'; status: number }
  | { kind: 'failed'; status?: number; retryAfterMs?: number };

export type SendPush = (
  subscription: PushSubscription,
  text: string,
  topic: string,
) => Promise<PushOutcome>;

/** Every notification has this size before encryption. */
const payloadBytes = 2048; // PUSH-20
/** How long a push service keeps a notification for a browser that is off. */
const ttlSeconds = 24 * 60 * 60; // PUSH-20
const timeoutMs = 10_000; // PUSH-27
const maxRetryAfterMs = 60 * 60_000;

/** @param stopping ends the requests that are under way */
export function createPushSender(vapid: VapidKeys, stopping: AbortSignal): SendPush {
  return async ({ endpoint, keys }, text, topic) => {
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          authorization: vapid.authorize(new URL(endpoint).origin),
          'content-encoding': 'aes128gcm',
          'content-type': 'application/octet-stream',
          ttl: String(ttlSeconds),
          // The same for all notifications, so it does not tell a mention from another message.
          urgency: 'high',
          topic,
        },
        body: new Uint8Array(encryptPayload({ endpoint, keys }, text, payloadBytes)),
        // A redirect could lead to a host that is not allowed.
        redirect: 'manual',
        signal: AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      return toOutcome(response);
    } catch {
      return { kind: 'failed' };
    }
  };
}

function toOutcome({ status, headers }: Response): PushOutcome {
  if (status >= 200 && status < 300) return { kind: 'accepted', status };
  if (status === 404 || status === 410) return { kind: 'gone', status };
  if (status !== 429 && status < 500) return { kind: 'rejected', status };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Math.min(seconds * 1000, maxRetryAfterMs);
  return { kind: 'failed', status, ...(retryAfterMs >= 0 && { retryAfterMs }) };
}
