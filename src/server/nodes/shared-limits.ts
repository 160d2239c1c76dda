// Counts actions against one limit for all nodes. A node decides immediately by what it knows, and tells the others
// afterwards, so no call waits for Redis; without Redis, each node counts alone (NODE-11).
import type { Limiter } from '#server/base/limiter.ts';
import { ratesOfOneNode, type RateName } from '#server/base/rates.ts';
import type { SharedFailures } from '#server/accounts/sign-in-attempts.ts';
import type { Notices } from './notices.ts';

export function shareLimits(local: Limiter, notices: Notices): Limiter {
  notices.onNotice((notice) => {
    if (notice.kind === 'count') local.count(notice.limit, notice.key, notice.cost);
  });

  /** Keys are accounts and addresses, so even the other nodes get only a hash of them. */
  const hashName = (limit: RateName, key: string) =>
    ratesOfOneNode.has(limit) ? key : notices.hashName(`limit ${key}`);
  const tell = (limit: RateName, key: string, cost: number) => {
    if (!ratesOfOneNode.has(limit)) notices.send({ kind: 'count', limit, key, cost });
  };

  return {
    take(limit, rawKey, cost = 1, code = 'TOO_MANY') {
      const key = hashName(limit, rawKey);
      local.take(limit, key, cost, code);
      tell(limit, key, cost);
    },
    tryTake(limit, rawKey) {
      const key = hashName(limit, rawKey);
      const isTaken = local.tryTake(limit, key);
      if (isTaken) tell(limit, key, 1);
      return isTaken;
    },
    isExhausted: (limit, key) => local.isExhausted(limit, hashName(limit, key)),
    refund(limit, rawKey, cost = 1) {
      const key = hashName(limit, rawKey);
      local.refund(limit, key, cost);
      tell(limit, key, -cost);
    },
    count: (limit, key, cost) => local.count(limit, hashName(limit, key), cost),
    reserve(limit, rawKey) {
      const key = hashName(limit, rawKey);
      const waitMs = local.reserve(limit, key);
      if (waitMs !== Infinity) tell(limit, key, 1);
      return waitMs;
    },
  };
}

export function shareFailures(notices: Notices): SharedFailures {
  return {
    hashName: (key) => notices.hashName(`failed sign-ins ${key}`),
    failed: (key, allowedFailures) => notices.send({ kind: 'signInFailed', key, allowedFailures }),
    succeeded: (key) => notices.send({ kind: 'signInSucceeded', key }),
    listen: ({ failed, succeeded }) =>
      notices.onNotice((notice) => {
        if (notice.kind === 'signInFailed') failed(notice.key, notice.allowedFailures);
        if (notice.kind === 'signInSucceeded') succeeded(notice.key);
      }),
  };
}
