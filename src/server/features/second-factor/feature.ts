// A second factor for operators and moderators, where no sign-on is used: passkeys (WebAuthn), and recovery codes. It is no part of
// the sign-in. Calls that unmask, change roles, end classes or act on accounts need a proof of the last ten minutes: the contract
// says which, and http/route.ts checks it.
import type { Feature, Server } from '#server/feature.ts';
import { registerSecondFactorRoutes } from './routes.ts';
import type { SecondFactor } from './second-factor.ts';

export function createSecondFactor(
  server: Pick<Server, 'db' | 'site' | 'keys' | 'checkIdentity'>,
  secondFactor: SecondFactor,
): Feature {
  return { routes: (route) => registerSecondFactorRoutes(route, server, secondFactor) };
}
