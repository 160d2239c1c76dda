// What a call counts against, and whose: the account's, or that of the address it comes from.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { RouteName } from '#contract/routes.ts';
import type { Account } from '../accounts/accounts.ts';
import type { ClientAddresses } from '../limits/client-addresses.ts';
import type { Limiter } from '../limits/limiter.ts';
import { rateOfCall } from '../limits/what-counts.ts';

export interface CallLimits {
  /**
   * Before anything of the call is read.
   *
   * @throws {Refusal} TOO_MANY
   * @returns whose calls these are, as a key
   */
  admit(context: Context, account: Account | null): string;
  /** Once it is known to be a call as it should be. @throws {Refusal} TOO_MANY */
  count(name: RouteName, caller: string): void;
}

export function createCallLimits(limiter: Limiter, addresses: ClientAddresses): CallLimits {
  return {
    admit(context, account) {
      const { incoming } = context.env as HttpBindings;
      const caller = account?.id ?? addresses.keyOf(incoming);
      limiter.take(account ? 'calls' : 'visits', caller);
      return caller;
    },
    count(name, caller) {
      const rate = rateOfCall[name];
      if (rate) limiter.take(rate, caller);
    },
  };
}
