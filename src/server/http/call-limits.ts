// Applies the rate limits to HTTP calls, per account or per network.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { Account } from './caller.ts';
import type { ClientAddresses, Network } from '#server/base/client-addresses.ts';
import { type Limiter, takeFromNetworks } from '#server/base/limiter.ts';
import type { RateName } from '#server/base/rates.ts';

/** What a call counts against: the account, or the networks that it comes from, narrowest first. */
export type Caller = readonly [Network, ...Network[]];

export interface CallLimits {
  getCaller(context: Context, account: Account | null): Caller;
  /**
   * Call this before reading anything of the call.
   *
   * @param rate the limit if the caller is signed in
   * @throws {AppError} TOO_MANY
   */
  admit(account: Account | null, caller: Caller, rate?: 'calls' | 'pictures'): void;
  /** Call this when the call has passed validation. @throws {AppError} TOO_MANY */
  count(rate: RateName, caller: Caller, count?: number): void;
  /** Resolves when the server may send this error to the caller. */
  delayRejection(error: unknown, caller: Caller): Promise<void>;
}

/**
 * The delay of a rejection. A caller that retries immediately cannot retry more often, per connection.
 */
const rejectionDelayMs = 1000; // LIMIT-31
/** Above this number, rejections are not delayed, because each delayed one takes memory. */
const maxDelayed = 2000;

export function createCallLimits(limiter: Limiter, addresses: ClientAddresses): CallLimits {
  let delayedCount = 0;

  return {
    getCaller: ({ env }, account) =>
      account
        ? [{ key: account.id, limitMultiplier: 1 }]
        : addresses.getNetworks((env as HttpBindings).incoming),
    admit(account, caller, rate = 'calls') {
      takeFromNetworks(limiter, account ? rate : 'visits', caller);
    },
    count(rate, caller, count = 1) {
      takeFromNetworks(limiter, rate, caller);
      // Unchecked, because an operator's limit may be smaller than the count of one call.
      for (const { key, limitMultiplier } of count > 1 ? caller : []) {
        limiter.countUnchecked(rate, key, (count - 1) / limitMultiplier);
      }
    },
    async delayRejection(error, caller) {
      if (!(error instanceof AppError) || error.code !== 'TOO_MANY') return;
      if (limiter.tryTake('refusals', caller[0].key) || delayedCount >= maxDelayed) return;
      delayedCount += 1;
      await sleep(rejectionDelayMs);
      delayedCount -= 1;
    },
  };
}
