// Sign-in through the university's OpenID Connect provider, for universities where students have one account for
// everything. OIDC_ISSUER turns it on. Of the identity, the server stores only a keyed hash. A sign-in in progress has
// no row in the database (decision 80).
import type { OidcConfig } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import type { Feature, Server } from '#server/feature.ts';
import { registerSignOnRoutes } from './routes.ts';
import { SignOn } from './sign-on.ts';

export async function createProviderSignIn(
  server: Pick<
    Server,
    | 'config'
    | 'db'
    | 'accountCommits'
    | 'keys'
    | 'accountRecords'
    | 'sessionRecords'
    | 'accounts'
    | 'limitedMails'
    | 'blockedAddresses'
    | 'log'
  >,
) {
  const { config, db, accountCommits, keys, accountRecords, sessionRecords } = server;
  const { limitedMails, log } = server;
  const { sessions, unusedAccounts, accounts, rules } = server.accounts;
  const signOn = config.oidc
    ? new SignOn({
        sessions,
        db,
        commits: accountCommits,
        accountRecords,
        sessionRecords,
        accounts,
        https: config.publicUrl.protocol === 'https:',
        provider: await openProvider(config.oidc, log),
        keys: keys.signOn,
        settings: { ...rules, label: config.oidc.label },
        blockedAddresses: server.blockedAddresses,
        enqueueMail: limitedMails.createMailer('sign-on'),
        onSessionUsed: (accountId) => unusedAccounts.recordUse(accountId),
      })
    : null;
  return {
    /** Null if the site has no provider. */
    signOn,
    routes: (route) => registerSignOnRoutes(route, server, signOn),
  } satisfies Feature & Record<string, unknown>;
}

/** Imports the client of OpenID Connect only if it is configured. */
async function openProvider(oidc: OidcConfig, log: Log) {
  const { createSignOnProvider } = await import('./sign-on-provider.ts');
  return createSignOnProvider(oidc, log);
}
