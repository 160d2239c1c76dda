import { AppError } from '#contract/errors.ts';
import type { Server } from '#server/feature.ts';
import type { SignOn } from './sign-on.ts';
import type { Route } from '#server/http/route.ts';

/**
 * Registers the calls of the sign-in through the university's provider. Only pages of this site call them, never the provider.
 *
 * @param configuredSignOn null if no provider is configured: these calls then answer NOT_FOUND
 */
export function registerSignOnRoutes(
  route: Route,
  { config, accounts: { passwords, signInGuard } }: Pick<Server, 'config' | 'accounts'>,
  configuredSignOn: SignOn | null,
): void {
  function getSignOn(): SignOn {
    if (configuredSignOn) return configuredSignOn;
    throw new AppError('NOT_FOUND');
  }

  route('startSignOn', async ({ body, request, setCookies }) => {
    // The request guards have checked that the origin belongs to this site. A school can have a separate host name.
    const origin = request.headers.get('origin') ?? '';
    const { url, cookies } = await getSignOn().start(origin, request.headers, body.again);
    setCookies(cookies);
    return { providerUrl: url };
  });

  route('finishSignOn', async ({ body, request, setCookies }) => {
    const { email, cookies } = await getSignOn().finish(body.response, request.headers);
    setCookies(cookies);
    return { email };
  });

  route('mailSignOnLink', async ({ request }) => {
    await getSignOn().mailLink(request.headers);
    return {};
  });

  route('joinSignOn', async ({ body, request, caller, setCookies }) => {
    const signOn = getSignOn();
    if ('password' in body) {
      if (config.passwordSignIn === 'off') throw new AppError('PASSWORDS_OFF');
      const account = await signOn.getAccountToConnect(request.headers);
      await signInGuard.attempt(account.email, request.headers, caller, (requester) =>
        passwords.check(account, body.password, requester),
      );
    }
    const token = 'token' in body ? body.token : null;
    const { email, cookies } = await signOn.connect(token, request.headers);
    setCookies([...cookies, signInGuard.remember(email, request.headers)]);
    return {};
  });
}
