// What a call counts against, and whose: the account's, or that of the address it comes from.
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { RouteName } from '#contract/routes.ts';
import type { Account } from '../accounts/accounts.ts';
import type { ClientAddresses, Network } from '../limits/client-addresses.ts';
import type { Limiter } from '../limits/limiter.ts';
import { takeEach } from '../limits/networks.ts';
import { rateOfCall } from '../limits/what-counts.ts';

/** Whose call it is: the account, or the networks that it comes from, the narrowest first. */
export type Caller = readonly [Network, ...Network[]];

export interface CallLimits {
  callerOf(context: Context, account: Account | null): Caller;
  /**
   * Before anything of the call is read.
   *
   * @param rate what it counts against where there is an account
   * @throws {AppError} TOO_MANY
   */
  admit(account: Account | null, caller: Caller, rate?: 'calls' | 'pictures'): void;
  /** Once it is known to be a call as it should be. @throws {AppError} TOO_MANY */
  count(name: RouteName, caller: Caller): void;
  /** Resolves when the caller may be told of this error. */
  hold(error: unknown, caller: Caller): Promise<void>;
}

/** Who asks again as soon as it is refused asks no more often than this, on each of its connections. */
const heldMs = 1000; // LIMIT-31
/** More than this are not kept waiting: each of them takes memory. */
const maxHeld = 2000;

export function createCallLimits(limiter: Limiter, addresses: ClientAddresses): CallLimits {
  let held = 0;

  return {
    callerOf: ({ env }, account) =>
      account
        ? [{ key: account.id, width: 1 }]
        : addresses.networksOf((env as HttpBindings).incoming),
    admit(account, caller, rate = 'calls') {
      takeEach(limiter, account ? rate : 'visits', caller);
    },
    count(name, caller) {
      const rate = rateOfCall[name];
      if (rate) takeEach(limiter, rate, caller);
    },
    async hold(error, caller) {
      if (!(error instanceof AppError) || error.code !== 'TOO_MANY') return;
      if (limiter.tryTake('refusals', caller[0].key) || held >= maxHeld) return;
      held += 1;
      await sleep(heldMs);
      held -= 1;
    },
  };
}
