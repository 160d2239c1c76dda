// Help for accounts: an operator who has the whole address of a person can resend mails, correct the address, end
// sessions and delete the account. It never shows a class, a persona or a message: who helps a person must not learn
// what the person writes. No action gives the operator access to the account (decision 88).
import type { Feature, Server } from '#server/feature.ts';
import { AccountSupport } from './account-support.ts';
import { registerAccountSupportRoutes } from './routes.ts';

export function createSupport(
  server: Pick<
    Server,
    | 'config'
    | 'db'
    | 'keys'
    | 'roles'
    | 'limiter'
    | 'addresses'
    | 'mailboxes'
    | 'accountRecords'
    | 'sessionRecords'
    | 'blockedAddresses'
    | 'accounts'
    | 'removeAccount'
  >,
): Feature {
  const { config, db, keys, roles, limiter, addresses, mailboxes } = server;
  const { appName, supportContact, passwordSignIn } = config;
  const { accountRecords, sessionRecords } = server;
  const { rules, signUpLinks, resetLinks } = server.accounts;
  const toMailKey = (email: string) => `support ${addresses.hashEmail(mailboxes.toMailbox(email))}`;
  return {
    routes: (route) =>
      registerAccountSupportRoutes(route, {
        roles,
        removeAccount: server.removeAccount,
        blockedAddresses: server.blockedAddresses,
        deletion: {
          db,
          roles,
          blockedAddresses: server.blockedAddresses,
          accountRecords,
          mailKey: keys.mails,
          settings: { appName, contact: supportContact },
        },
        support: new AccountSupport({
          accountRecords,
          sessionRecords,
          resetLinks,
          mailKey: keys.mails,
          links: signUpLinks,
          blockedAddresses: server.blockedAddresses,
          settings: { ...rules, contact: supportContact, passwordSignIn },
        }),
        checkMail(email) {
          const key = toMailKey(email);
          limiter.take('mails', key);
          limiter.refund('mails', key);
        },
        countMail: (email) => limiter.countUnchecked('mails', toMailKey(email), 1),
      }),
  };
}
