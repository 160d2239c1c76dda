// Counts actions against limits that all nodes share. A node decides immediately by the actions that it knows, and afterwards
// notifies the other nodes. So no call waits for Redis, and without Redis each node counts alone (NODE-11).
import type { Limiter } from '#server/base/limiter.ts';
import { ratesOfOneNode, type RateName } from '#server/base/rates.ts';
import type { SharedSignInFailures } from '#server/accounts/sign-in-attempts.ts';
import type { Notices } from './notices.ts';

export function shareLimits(local: Limiter, notices: Notices): Limiter {
  notices.onNotice((notice) => {
    if (notice.kind === 'count') local.countUnchecked(notice.limit, notice.key, notice.cost);
  });

  /** Keys identify accounts and addresses, so the other nodes get only a hash of a key. */
  const toSharedKey = (limit: RateName, key: string) =>
    ratesOfOneNode.has(limit) ? key : notices.hashKey(`limit ${key}`);
  const notifyNodes = (limit: RateName, key: string, cost: number) => {
    if (!ratesOfOneNode.has(limit)) notices.send({ kind: 'count', limit, key, cost });
  };

  return {
    take(limit, rawKey, cost = 1, code = 'TOO_MANY') {
      const key = toSharedKey(limit, rawKey);
      local.take(limit, key, cost, code);
      notifyNodes(limit, key, cost);
    },
    tryTake(limit, rawKey) {
      const key = toSharedKey(limit, rawKey);
      const isTaken = local.tryTake(limit, key);
      if (isTaken) notifyNodes(limit, key, 1);
      return isTaken;
    },
    isExhausted: (limit, key) => local.isExhausted(limit, toSharedKey(limit, key)),
    refund(limit, rawKey, cost = 1) {
      const key = toSharedKey(limit, rawKey);
      local.refund(limit, key, cost);
      notifyNodes(limit, key, -cost);
    },
    countUnchecked: (limit, key, cost) =>
      local.countUnchecked(limit, toSharedKey(limit, key), cost),
    reserve(limit, rawKey) {
      const key = toSharedKey(limit, rawKey);
      const waitMs = local.reserve(limit, key);
      if (waitMs !== Infinity) notifyNodes(limit, key, 1);
      return waitMs;
    },
  };
}

export function shareSignInFailures(notices: Notices): SharedSignInFailures {
  return {
    hashKey: (key) => notices.hashKey(`failed sign-ins ${key}`),
    sendFailure(key, allowedFailures) {
      notices.send({ kind: 'signInFailed', key, allowedFailures });
    },
    sendSuccess: (key) => notices.send({ kind: 'signInSucceeded', key }),
    onFailure(listener) {
      notices.onNotice((notice) => {
        if (notice.kind === 'signInFailed') listener(notice.key, notice.allowedFailures);
      });
    },
    onSuccess(listener) {
      notices.onNotice((notice) => {
        if (notice.kind === 'signInSucceeded') listener(notice.key);
      });
    },
  };
}
