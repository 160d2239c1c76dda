// Sign-in through the university's OpenID Connect provider, for universities where students have one account for
// everything. OIDC_ISSUER turns it on. Of the identity, the server stores only a keyed hash. A sign-in in progress has
// no row in the database (decision 80).
import type { OidcConfig } from '#server/config/config-types.ts';
import type { Log } from '#server/base/log.ts';
import type { Feature, Server } from '#server/feature.ts';
import { registerSignOnRoutes } from './routes.ts';
import { SignOn, type SignOnServer } from './sign-on.ts';

export async function createProviderSignIn(server: SignOnServer & Pick<Server, 'log'>) {
  const { oidc } = server.config;
  const signOn = oidc && new SignOn(server, await openProvider(oidc, server.log), oidc.label);
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
