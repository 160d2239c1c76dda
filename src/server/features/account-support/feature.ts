// Help for accounts: an operator who has the whole address of a person can resend mails, correct the address, end
// sessions and delete the account. It never shows a class, a persona or a message: who helps a person must not learn
// what the person writes. No action gives the operator access to the account (decision 88).
import type { Feature, Server } from '#server/feature.ts';
import { AccountSupport } from './account-support.ts';
import { registerAccountSupportRoutes, type SupportServer } from './routes.ts';

export function createSupport(
  server: SupportServer & Pick<Server, 'sessionRecords' | 'accounts'>,
): Feature {
  const { resetLinks, signUpLinks } = server.accounts;
  const support = new AccountSupport(server, resetLinks, signUpLinks);
  return { routes: (route) => registerAccountSupportRoutes(route, server, support) };
}
