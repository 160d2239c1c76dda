import { AppError } from '#contract/errors.ts';
import type { Passwords } from '#server/accounts/passwords.ts';
import type { SignInGuard } from '#server/accounts/sign-in-guard.ts';
import type { SignOn } from './sign-on.ts';
import type { Route } from '#server/http/route.ts';

interface Dependencies {
  /** Null if the site has no provider. Then each of these calls is unknown. */
  signOn: SignOn | null;
  passwords: Pick<Passwords, 'check'>;
  passwordSignIn: 'on' | 'off';
  signInGuard: SignInGuard;
}

/** Sign-in through the university's provider. Only pages of this origin make these calls, not the provider's. */
export function registerSignOnRoutes(route: Route, dependencies: Dependencies): void {
  const { passwords, passwordSignIn, signInGuard } = dependencies;

  function getSignOn(): SignOn {
    if (dependencies.signOn) return dependencies.signOn;
    throw new AppError('NOT_FOUND');
  }

  route(
    'startSignOn',
    { access: 'public', rate: 'signOns' },
    async ({ body, request, setCookies }) => {
      // The request guards have checked it. A school may have a host name of its own.
      const origin = request.headers.get('origin') ?? '';
      const { url, cookies } = await getSignOn().start(origin, request.headers, body.again);
      setCookies(cookies);
      return { providerUrl: url };
    },
  );

  route(
    'finishSignOn',
    { access: 'public', rate: 'signOns' },
    async ({ body, request, setCookies }) => {
      const { email, cookies } = await getSignOn().finish(body.response, request.headers);
      setCookies(cookies);
      return { email };
    },
  );

  route('mailSignOnLink', { access: 'public', rate: 'resets' }, async ({ request }) => {
    await getSignOn().mailLink(request.headers);
    return {};
  });

  route('joinSignOn', 'public', async ({ body, request, caller, setCookies }) => {
    const signOn = getSignOn();
    if ('password' in body) {
      if (passwordSignIn === 'off') throw new AppError('PASSWORDS_OFF');
      const account = await signOn.accountToJoin(request.headers);
      await signInGuard.attempt(account.email, request.headers, caller, (requester) =>
        passwords.check(account, body.password, requester),
      );
    }
    const link = 'token' in body ? body.token : null;
    const { email, cookies } = await signOn.join(link, request.headers);
    setCookies([...cookies, signInGuard.remember(email, request.headers)]);
    return {};
  });
}
